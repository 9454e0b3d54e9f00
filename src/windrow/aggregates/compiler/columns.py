"""Tables as arrays of numbers and back, with a dictionary for strings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from windrow.aggregates.compiler.kinds import Family, Kind, Layout
from windrow.buffers.keys import KeyCodes
from windrow.schema import Schema

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_WORD = "word"
_FEW = 1 << 16
"""Below so many strings nobody looks for those that are not used any more."""


@dataclass(slots=True)
class Rows:
    """Rows as arrays: whole numbers, floating ones, and what is NULL."""

    integers: Ints
    floats: Floats
    nulls: Flags

    @classmethod
    def empty(cls, layout: Layout, count: int) -> Rows:
        return cls(
            np.zeros((count, layout.integers), np.int64),
            np.zeros((count, layout.floats), np.float64),
            np.zeros((count, len(layout.places)), np.bool_),
        )

    def grow(self, count: int) -> None:
        """Have so many rows."""
        self.integers, self.floats, self.nulls = (
            grown(array, count) for array in (self.integers, self.floats, self.nulls)
        )

    def first(self, count: int) -> Rows:
        """So many rows, without copying them."""
        return Rows(self.integers[:count], self.floats[:count], self.nulls[:count])

    def take(self, places: Ints) -> Rows:
        return Rows(self.integers[places], self.floats[places], self.nulls[places])


class Words:
    """The strings that are known, by code."""

    def __init__(self) -> None:
        self._codes = KeyCodes(Schema.of((_WORD, "VARCHAR")))
        self._looked = _FEW

    def codes(self, words: pa.Array[Any] | pa.ChunkedArray[Any]) -> Ints:
        return self._codes.codes(pa.table([words], names=[_WORD]))

    def words(self, codes: Ints) -> pa.ChunkedArray[Any]:
        return self._codes.keys(codes)[_WORD]

    @property
    def are_many(self) -> bool:
        """Whether it is time to let go of those that nobody uses."""
        return len(self._codes) > self._looked

    def keep(self, used: Ints) -> None:
        """Forget all but these."""
        known = np.zeros(self._codes.capacity, np.bool_)
        known[self._codes.known()] = True
        known[used] = False
        self._codes.release(np.flatnonzero(known))
        self._looked = max(_FEW, 2 * len(self._codes))


def packed(table: pa.Table, layout: Layout, words: Words) -> Rows:
    """A table as arrays."""
    rows = Rows.empty(layout, len(table))
    for place, (kind, at) in enumerate(layout.places):
        column = table.column(place)
        if column.null_count:
            rows.nulls[:, place] = np.asarray(pc.is_null(column))
        if kind.family is Family.FLOAT:
            rows.floats[:, at] = _filled(column.cast(pa.float64()))
        elif kind.family is Family.STRING:
            rows.integers[:, at] = words.codes(column)
        else:
            rows.integers[:, at] = _filled(_bits(column))
    return rows


def unpacked(rows: Rows, layout: Layout, words: Words) -> list[pa.Array[Any]]:
    """Arrays as columns."""
    return [
        _column(rows, kind, at, rows.nulls[:, place], field.arrow.type, words)
        for place, ((kind, at), field) in enumerate(zip(layout.places, layout.schema, strict=True))
    ]


def grown(array: npt.NDArray[Any], count: int) -> npt.NDArray[Any]:
    """An array with so many rows, the new ones zero."""
    if count <= len(array):
        return array
    larger = np.zeros((count, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _filled(column: Any) -> npt.NDArray[Any]:
    values: npt.NDArray[Any] = column.fill_null(0).to_numpy()
    return values


def _bits(column: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    """Whole numbers, instants and truth values as 64 bits."""
    type_ = column.type
    if pa.types.is_boolean(type_):
        return column.cast(pa.int8()).cast(pa.int64())
    return (column.cast(pa.int32()) if pa.types.is_date32(type_) else column).cast(pa.int64())


def _column(
    rows: Rows, kind: Kind, at: int, nulls: Flags, type_: pa.DataType, words: Words
) -> pa.Array[Any]:
    mask = nulls if nulls.any() else None
    array: Any
    if kind.family is Family.STRING:
        return _spelled(rows.integers[:, at], nulls, words)
    if kind.family is Family.FLOAT:
        array = pa.array(rows.floats[:, at], pa.float64(), mask=mask).cast(type_, safe=False)
    elif kind.family is Family.BOOLEAN:
        array = pa.array(rows.integers[:, at] != 0, mask=mask)
    else:
        bits = pa.int32() if pa.types.is_date32(type_) else pa.int64()
        array = pa.array(rows.integers[:, at], mask=mask).cast(bits).cast(type_)
    column: pa.Array[Any] = array
    return column


def _spelled(codes: Ints, nulls: Flags, words: Words) -> pa.Array[Any]:
    there: Any = words.words(codes[~nulls]).combine_chunks()
    places = np.cumsum(~nulls) - 1
    spelled: pa.Array[Any] = there.take(pa.array(places, mask=nulls))
    return spelled
