"""Which source a URI's scheme asks for. Adding a source means adding a line here."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windrow.catalog import Stream
from windrow.errors import SourceError
from windrow.sources.base import Source
from windrow.uri import Uri


@dataclass(frozen=True, slots=True)
class _Factory:
    path: str
    """module:class; imported when first asked for, as some need what others do without."""
    settings: tuple[str, ...] = ()
    """The settings that it takes as keywords."""
    journal: str | None = None
    """What it calls the journal that it takes, if it does."""


PUSHED = "push"
"""The scheme of streams that are fed through the API, so have no source that runs."""

_FACTORIES = {
    "tcp": _Factory("windrow.sources.tcp:TcpSource", ("max_line",)),
    "file": _Factory("windrow.sources.files:FileSource", ("max_line",), journal="journal"),
    "kafka": _Factory("windrow.sources.kafka:KafkaSource", journal="checkpoint"),
    "rate": _Factory("windrow.sources.rate:RateSource"),
    "demo": _Factory("windrow.sources.demo.source:DemoSource"),
}

SCHEMES = (PUSHED, *_FACTORIES)
"""All schemes that a stream's SOURCE can have; portNNNN is short for tcp://127.0.0.1:NNNN."""


def open_source(
    uri: str, stream: Stream, settings: Mapping[str, Any], *, journal: Path | None = None
) -> Source | None:
    """The source that the URI describes, built but not yet opened; None if the stream is pushed.

    Of the settings it reads `max_line`. `journal` names a file or folder, which is the source's own,
    for what it must remember as long as the stream's log lasts and what is too much for a position.
    """
    parsed = _parsed(uri)
    if parsed.scheme == PUSHED:
        return None
    factory = _FACTORIES[parsed.scheme]
    module, _, name = factory.path.partition(":")
    build: Callable[..., Source] = getattr(importlib.import_module(module), name)
    taken = {key: settings[key] for key in factory.settings if key in settings}
    if factory.journal:
        taken[factory.journal] = journal
    return build(parsed, stream, **taken)


def _parsed(uri: str) -> Uri:
    try:
        parsed = Uri.parse(uri)
    except ValueError as error:
        raise SourceError(f"'{uri}' is not a URI: {error}", hint=_choices()) from error
    if parsed.scheme not in SCHEMES:
        raise SourceError(f"no source is called '{parsed.scheme}' ({uri})", hint=_hint(parsed.scheme))
    return parsed


def _hint(scheme: str) -> str:
    close = difflib.get_close_matches(scheme, SCHEMES, n=1)
    return f"did you mean {close[0]}? {_choices()}" if close else _choices()


def _choices() -> str:
    return f"sources are: {', '.join(SCHEMES)}, portNNNN"
