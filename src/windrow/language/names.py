"""Near misses: the hint that a misspelt name gets."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint naming the known name most like this one; None if nothing is like it."""
    spelling = {candidate.lower(): candidate for candidate in known}
    near = difflib.get_close_matches(name.lower(), spelling, n=1)
    return f"did you mean {spelling[near[0]]}?" if near else None


def suggest(name: str, known: Iterable[str], what: str) -> str:
    """The nearest known name, or else all of them: `what` says what they are."""
    names = list(known)
    if near := did_you_mean(name, names):
        return near
    return f"{what}: {', '.join(names)}" if names else f"{what}: none"


def counted(number: int, noun: str) -> str:
    """A number of things: 1 column, 2 columns."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def an(noun: str) -> str:
    """A noun with its article: a stream, an aggregate, an NRR."""
    return f"{'an' if noun[0] in 'aeiouN' else 'a'} {noun}"
