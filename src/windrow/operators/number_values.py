"""Values of whole numbers, instants, days and truth values: looked up by their very bits, which lie in the
row of their numbers. So one look at memory finds both, and no key is ever taken for another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.states import GroupStates
from windrow.buffers.parts import State
from windrow.kernels import number_keys as kernels
from windrow.operators.values import KeyedValues, Values, ValueStates
from windrow.schema import Schema

_FIRST_CAPACITY = 1024
_WORD = 64
_THERE = np.int64(1 << 62)
"""In the first word of a key, before the bits that say which columns are NULL."""
_MOST = 62
_UNSIGNED: dict[int, pa.DataType] = {8: pa.uint8(), 16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}
"""So that nothing spreads beyond its bits."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a column is in a key."""

    word: int
    offset: int
    width: int
    """In bits."""
    type: pa.DataType

    def packed(self, column: pa.ChunkedArray[Any]) -> npt.NDArray[np.uint64]:
        """The bits of a column, where they are in their word; of NULLs none."""
        values = column.combine_chunks()
        whole = values.cast(pa.int8()) if pa.types.is_boolean(self.type) else values
        bits: Any = whole.view(_UNSIGNED[self.width])
        plain: npt.NDArray[np.uint64] = bits.fill_null(0).to_numpy().astype(np.uint64)
        return plain << np.uint64(self.offset)

    def unpacked(self, words: npt.NDArray[np.int64], absent: npt.NDArray[np.bool_] | None) -> pa.Array[Any]:
        bits = (words.view(np.uint64) >> np.uint64(self.offset)).astype(f"u{self.width // 8}")
        whole: pa.Array[Any] = pa.array(bits, mask=absent)
        column: pa.Array[Any] = (
            whole.cast(self.type) if pa.types.is_boolean(self.type) else whole.view(self.type)
        )
        return column


def values_of(schema: Schema, width: int) -> ValueStates:
    """What keeps values of these columns, with so many numbers for each."""
    types = schema.arrow.types
    fit = 0 < len(types) <= _MOST and all(map(_is_number, types))
    return NumberValues(schema, width) if fit else KeyedValues(schema, width)


class NumberValues(ValueStates):
    """Values of up to 62 columns of whole numbers and the like."""

    def __init__(self, schema: Schema, width: int) -> None:
        self._at = width
        self._places = _placed(schema)
        self._words = 1 + self._places[-1].word
        super().__init__(schema)

    def __len__(self) -> int:
        return self._fresh - len(self._free)

    @property
    def nbytes(self) -> int:
        return self.numbers.nbytes + self._slots.nbytes + self._changed.nbytes + self._free.nbytes

    def rows(self, values: Values) -> pa.Table:
        columns = []
        nulls = self.numbers[values, self._at] if self._has_nulls else None
        words = {place.word: self.numbers[values, self._at + place.word] for place in self._places}
        for number, place in enumerate(self._places):
            absent = None if nulls is None else (nulls >> number & 1).astype(np.bool_)
            columns.append(place.unpacked(words[place.word], absent))
        return pa.table(columns, schema=self._schema.arrow)

    def restore(self, state: State) -> None:
        super().restore(state)
        self._fit(_FIRST_CAPACITY)
        capacity = _FIRST_CAPACITY
        while capacity < self.capacity:
            capacity *= 2
        self._fit(capacity)
        there = self.live()
        self._fresh = int(there[-1]) + 1
        self._has_nulls = bool((self.numbers[:, self._at] & (_THERE - 1)).any())
        self._free = np.setdiff1d(np.arange(self._fresh), there)
        self._slots = np.zeros(2 * self.capacity, np.int64)
        kernels.put(there, self.numbers, self._at, self._slots)

    def _open(self) -> None:
        self._states = GroupStates(self._at + self._words)
        self._changed = np.empty(0, np.bool_)
        self._free = np.empty(0, np.int64)
        self._fresh = 0
        self._has_nulls = False
        """Or has had."""
        self._fit(_FIRST_CAPACITY)
        self._slots = np.zeros(2 * _FIRST_CAPACITY, np.int64)

    def _coded(self, rows: pa.Table) -> Values:
        keys, codes = self._keys(rows), np.empty(len(rows), np.int64)
        book = np.array([self._fresh, 0, 0])
        while True:
            table = self.numbers, self._at, self._slots
            done = kernels.assign(keys, *table, self._free, book, codes, self._changed)
            if done == len(keys):
                break
            self._fit(2 * self.capacity)
            smaller, self._slots = self._slots, np.zeros(2 * self.capacity, np.int64)
            kernels.move(smaller, self._slots)
        self._fresh, self._free = int(book[kernels.FRESH]), self._free[book[kernels.REUSED] :]
        return codes

    def _forget(self, values: Values) -> None:
        kernels.remove(values, self.numbers, self._at, self._slots, self._changed)
        self._free = np.sort(np.concatenate([self._free, values]))

    def _keys(self, rows: pa.Table) -> npt.NDArray[np.int64]:
        keys = np.zeros((len(rows), self._words), np.int64)
        keys[:, 0] = _THERE
        for number, (place, column) in enumerate(zip(self._places, rows.columns, strict=True)):
            if column.null_count:
                self._has_nulls = True
                keys[:, 0] |= np.asarray(column.is_null()).astype(np.int64) << number
            keys[:, place.word] |= place.packed(column).view(np.int64)
        return keys


def _placed(schema: Schema) -> list[_Place]:
    """The columns in as few words as they fill one after another; the first word says what is NULL."""
    places, word, offset = [], 1, 0
    for type_ in schema.arrow.types:
        width = 8 if pa.types.is_boolean(type_) else type_.bit_width
        if offset + width > _WORD:
            word, offset = word + 1, 0
        places.append(_Place(word, offset, width, type_))
        offset += width
    return places


def _is_number(type_: pa.DataType) -> bool:
    kinds = (pa.types.is_integer, pa.types.is_timestamp, pa.types.is_date32, pa.types.is_boolean)
    return any(kind(type_) for kind in kinds)
