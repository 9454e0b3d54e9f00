"""Lengths of time as people write them, in microseconds: '5 SECONDS', '1 min 30 s', '250ms'."""

from __future__ import annotations

import difflib
from decimal import Decimal, InvalidOperation
from itertools import groupby

_SECOND = 1_000_000
_UNITS: tuple[tuple[int, tuple[str, ...]], ...] = (
    (1, ("microsecond", "us", "µs", "μs", "usec", "usecs")),
    (1_000, ("millisecond", "ms", "msec", "msecs")),
    (_SECOND, ("second", "s", "sec", "secs")),
    (60 * _SECOND, ("minute", "m", "min", "mins")),
    (3_600 * _SECOND, ("hour", "h", "hr", "hrs")),
    (86_400 * _SECOND, ("day", "d")),
)
UNITS: dict[str, int] = {
    spelling: length for length, spellings in _UNITS for spelling in (*spellings, f"{spellings[0]}s")
}
"""Every spelling of every unit, in small letters."""

_LONGEST = 2**62


class DurationError(ValueError):
    """A text is no length of time; says why, and what to write."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def parse_duration(text: str) -> int:
    """The microseconds in a text of one or more numbers, each with a unit."""
    parts = ["".join(group).strip() for _, group in groupby(text.strip(), _is_numeric)]
    parts = [part for part in parts if part]
    if not parts or len(parts) % 2:
        raise DurationError(
            f"'{text}' is not a length of time", "write a number and a unit, as in 5 SECONDS"
        )
    pairs = zip(parts[::2], parts[1::2], strict=True)
    total = sum(_length(number, unit) for number, unit in pairs)
    if total > _LONGEST:
        raise DurationError(f"'{text}' is longer than any clock", "write a shorter time")
    if total != int(total):
        raise DurationError(f"'{text}' is not a whole number of microseconds", "write a longer time")
    return int(total)


def format_duration(microseconds: int) -> str:
    """A length of time in the largest unit that divides it: '30 seconds'."""
    for length, (name, *_) in reversed(_UNITS):
        if microseconds % length == 0 and (microseconds or length == _SECOND):
            count = microseconds // length
            return f"{count} {name}" if count == 1 else f"{count} {name}s"
    raise AssertionError("every number of microseconds is a multiple of one")


def _is_numeric(character: str) -> bool:
    return character in "0123456789._"


def _length(number: str, unit: str) -> Decimal:
    known = UNITS.get(unit.lower())
    if known is None:
        raise DurationError(f"'{unit}' is not a unit of time", _unit_hint(unit.lower()))
    try:
        return Decimal(number) * known
    except InvalidOperation:
        raise DurationError(
            f"'{number}' is not a number", "write a number and a unit, as in 5 SECONDS"
        ) from None


def _unit_hint(unit: str) -> str:
    if unit.startswith(("month", "year")):
        return "months and years differ in length: write days"
    near = difflib.get_close_matches(unit, UNITS, n=1)
    return f"did you mean {near[0].upper()}?" if near else f"units are {', '.join(n[0] for _, n in _UNITS)}"
