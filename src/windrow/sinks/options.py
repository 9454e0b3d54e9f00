"""The options of a sink's URI, checked: what is not known is refused, with what would be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TypeVar

from windrow.errors import SinkError
from windrow.uri import Uri

Word = TypeVar("Word", bound=str)
TRUTH = {"true": True, "false": False}


def suggestion(word: str, choices: Iterable[str]) -> str:
    """A hint that names the choices, the nearest one first."""
    known = list(choices)
    listed = ", ".join(known) or "none"
    near = difflib.get_close_matches(word.lower(), known, n=1)
    return f"did you mean {near[0]}? choices are: {listed}" if near else f"choices are: {listed}"


def check_options(uri: Uri, *known: str) -> None:
    for name in uri.options:
        if name not in known:
            raise SinkError(f"{uri.text}: this sink has no option '{name}'", hint=suggestion(name, known))


def choice(uri: Uri, name: str, choices: Iterable[Word], default: Word) -> Word:
    """The value of an option that takes one of a few words."""
    known: dict[str, Word] = {word: word for word in choices}
    value = uri.options.get(name, default)
    if value not in known:
        raise SinkError(f"{uri.text}: {name} cannot be '{value}'", hint=suggestion(value, known))
    return known[value]


def flag(uri: Uri, name: str, default: bool) -> bool:
    return TRUTH[choice(uri, name, TRUTH, str(default).lower())]


def count(uri: Uri, name: str, default: int) -> int:
    """The value of an option that takes a whole number from 0 on."""
    value = uri.options.get(name, str(default))
    if not (value.isascii() and value.isdigit()):
        raise SinkError(
            f"{uri.text}: {name} cannot be '{value}'", hint=f"give a whole number: {name}={default}"
        )
    return int(value)
