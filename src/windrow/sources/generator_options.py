"""The options that generated sources take in their URI."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from windrow.errors import SourceError
from windrow.uri import Uri

DEFAULT_RATE = 1000.0
_SLOWEST, _FASTEST = 0.001, 1_000_000_000
_EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class GeneratorOptions:
    """How many tuples, how fast, from when on, and which world of the many."""

    rate: float = DEFAULT_RATE
    """Tuples in a second of event time."""
    speed: float | None = 1.0
    """Seconds of event time in a second of the wall clock; None is as many as can be."""
    seed: int = 1
    limit: int | None = None
    burst: float = 1.0
    start: int | None = None
    """When the first tuple happens, in microseconds; None is now."""

    @classmethod
    def parse(cls, uri: Uri, *known: str, rate: str | None = None) -> GeneratorOptions:
        """From the options of a URI, of which `known` are allowed; `rate` if it stands elsewhere."""
        uri.check_options(*known)
        told = uri.options
        rate = told.get("rate", "") if rate is None else rate
        flat_out = rate == "max"
        if flat_out and "speed" in told:
            raise SourceError(
                f"{uri.text}: rate=max leaves nothing for speed to say",
                hint="rate=5000&speed=max has event times of 5000 tuples a second, as fast as can be",
            )
        return cls(
            rate=DEFAULT_RATE if flat_out or not rate else _number(uri, "rate", rate),
            speed=None
            if flat_out or told.get("speed") == "max"
            else _number(uri, "speed", told.get("speed", "1")),
            seed=_whole(uri, "seed", told.get("seed", "1")),
            limit=_whole(uri, "limit", told["limit"]) if "limit" in told else None,
            burst=_burst(uri, told.get("burst", "1")),
            start=_instant(uri, told["start"]) if "start" in told else None,
        )


def _number(uri: Uri, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not _SLOWEST <= value <= _FASTEST:
        raise SourceError(
            f"{uri.text}: {name} is '{text}'",
            hint=f"{name} is max, or a number from {_SLOWEST} to {_FASTEST:,}",
        )
    return value


def _burst(uri: Uri, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 1 <= value <= _FASTEST:
        raise SourceError(
            f"{uri.text}: burst is '{text}'",
            hint="burst is 1 or more: burst=5 sends five times as fast for a fifth of the time",
        )
    return value


def _whole(uri: Uri, name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 2**63):
        raise SourceError(f"{uri.text}: {name} is '{text}'", hint=f"{name} is a whole number, 0 or more")
    return int(text)


def _instant(uri: Uri, text: str) -> int:
    try:
        told = datetime.fromisoformat(text)
    except ValueError:
        raise SourceError(
            f"{uri.text}: start is '{text}'", hint="start is an instant such as 2026-01-31T12:00:00"
        ) from None
    naive = told if told.tzinfo is None else told.astimezone(UTC).replace(tzinfo=None)
    return (naive - _EPOCH) // timedelta(microseconds=1)
