"""Two tables compared as someone would who asserts the one and sees the other.

Rows are compared by value. Of a FLOAT the first 6 digits count and of a DOUBLE the first 12, because
sums come out a little differently in another order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

import pyarrow as pa

_FLOAT_DIGITS, _DOUBLE_DIGITS = 6, 12
Row = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of two tables that differ, and which of its rows the other lacks."""

    rows: pa.Table
    alone: tuple[bool, ...]

    @property
    def count(self) -> int:
        """How many rows the other lacks."""
        return sum(self.alone)


@dataclass(frozen=True, slots=True)
class Difference:
    """What was expected and what came, each with the rows that the other lacks."""

    expected: Side
    actual: Side


def compare(expected: pa.Table, actual: pa.Table) -> Difference | None:
    """The difference of two multisets of rows; None if they are equal.

    What came is shown in the order of what was expected, and what was not expected behind it.
    """
    wanted, came = _rows(expected), _rows(actual)
    lacking = _alone(wanted, came)
    if not any(lacking) and len(wanted) == len(came):
        return None
    order = _as_expected(wanted, came)
    actual, came = actual.take(pa.array(order, pa.int64())), [came[place] for place in order]
    return Difference(Side(expected, lacking), Side(actual, _alone(came, wanted)))


def compare_in_order(expected: pa.Table, actual: pa.Table, instants: Sequence[int]) -> Difference | None:
    """The difference of two sequences of rows, where those of one instant may come in any order.

    `instants` are those of the actual rows.
    """
    wanted, came = _rows(expected), _rows(actual)
    order = list(_following(wanted, came, instants))
    came = [came[place] for place in order]
    if wanted == came:
        return None
    lacking, surplus = [True] * len(wanted), [True] * len(came)
    for block in SequenceMatcher(None, wanted, came, autojunk=False).get_matching_blocks():
        lacking[block.a : block.a + block.size] = [False] * block.size
        surplus[block.b : block.b + block.size] = [False] * block.size
    actual = actual.take(pa.array(order, pa.int64()))
    return Difference(Side(expected, tuple(lacking)), Side(actual, tuple(surplus)))


def _rows(table: pa.Table) -> list[Row]:
    columns = [
        [_comparable(value, column.type) for value in column.to_pylist()] for column in table.columns
    ]
    return list(zip(*columns, strict=True))


def _comparable(value: Any, type_: pa.DataType) -> Hashable:
    if isinstance(value, float):
        digits = _FLOAT_DIGITS if pa.types.is_float32(type_) else _DOUBLE_DIGITS
        return f"{value + 0.0:.{digits}g}"
    if isinstance(value, list):
        return tuple(_comparable(item, type_) for item in value)
    if isinstance(value, dict):
        return tuple((name, _comparable(item, type_)) for name, item in value.items())
    if isinstance(value, tuple):
        return tuple(_comparable(item, type_) for item in value)
    return value  # type: ignore[no-any-return]


def _alone(rows: Sequence[Row], others: Sequence[Row]) -> tuple[bool, ...]:
    """Which rows have no equal left among the others."""
    left = Counter(others)
    alone = []
    for row in rows:
        alone.append(not left[row])
        left[row] -= bool(left[row])
    return tuple(alone)


def _as_expected(wanted: Sequence[Row], came: Sequence[Row]) -> list[int]:
    """The places of what came, in the order in which it was wanted; the rest behind."""
    places: dict[Row, list[int]] = {}
    for place in reversed(range(len(came))):
        places.setdefault(came[place], []).append(place)
    found = [places[row].pop() for row in wanted if places.get(row)]
    return found + sorted(set(range(len(came))).difference(found))


def _following(wanted: Sequence[Row], came: Sequence[Row], instants: Sequence[int]) -> Iterator[int]:
    """The places of what came, each instant's rows as far as possible in the order wanted next."""
    reached = 0
    for _, group in groupby(range(len(came)), key=lambda place: instants[place]):
        places = list(group)
        rows = [came[place] for place in places]
        following = _as_expected(wanted[reached : reached + len(rows)], rows)
        yield from (places[index] for index in following)
        reached += len(rows)
