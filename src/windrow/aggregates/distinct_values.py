"""The different values of each group: what DISTINCT in a call goes by, and the greatest of what may be
taken back.

Values of a group get a code, of which the live tuples are counted: the first tuple with a code brings its
value, the last one takes it away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.events import Events
from windrow.aggregates.ingredients import Arrived, Ingredient, where_true
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import Part
from windrow.aggregates.states import GroupStates
from windrow.aggregates.tuples import Column, one_array
from windrow.buffers.growing import each_once, grown
from windrow.buffers.keys import KeyCodes
from windrow.buffers.parts import State
from windrow.kernels import distinct_values as kernels
from windrow.schema import Field, Schema

Ints = npt.NDArray[np.int64]

_GROUP = "__group"
_PACKED = Schema((Field("__packed", "BIGINT"),))
_HALF = 32


def distinct_values(column: str, where: str | None, ledger: Ledger) -> DistinctValues:
    """The different values of a column, where another one is true."""
    values = ledger.part(DistinctValues, column, where, ledger.input)
    values.code = ledger.ingredient(Code(values))
    return values


@dataclass(frozen=True)
class Code(Ingredient):
    """The code of each value; NULL where there is none, or where it does not count."""

    values: Values

    @property
    def type(self) -> pa.DataType:
        return pa.int64()

    def of(self, arrived: Arrived) -> Column:
        return self.values.codes(arrived)

    def save(self) -> State:
        return self.values.keys.save()

    def restore(self, state: State) -> None:
        self.values.keys.restore(state)


class Values(Part):
    """Something that is remembered of each value of each group."""

    def __init__(self, column: str, where: str | None, input_: Schema) -> None:
        self._column, self._where = column, where
        field = input_.find(column)
        assert field is not None
        self._is_packed = _is_half(field.arrow.type)
        self.keys = KeyCodes(_PACKED if self._is_packed else Schema((Field(_GROUP, "BIGINT"), field)))
        self.code = ""
        """The ingredient with a tuple's code."""

    def codes(self, arrived: Arrived) -> Column:
        values = one_array(arrived.rows[self._column])
        counted: Any = values.is_valid()
        if self._where is not None:
            counted = where_true(one_array(arrived.rows[self._where]), counted).fill_null(False)
        there = counted.to_numpy(zero_copy_only=False)
        if there.all():
            return pa.array(self.codes_of(arrived.groups, values))
        codes = np.zeros(len(values), np.int64)
        codes[there] = self.codes_of(arrived.groups[there], values.filter(counted))
        return pa.array(codes, mask=~there)

    def codes_of(self, groups: Ints, values: Column) -> Ints:
        """The codes of values that count."""
        if not self._is_packed:
            return self.keys.codes(pa.table([pa.array(groups), values], names=[_GROUP, self._column]))
        packed = (groups << _HALF) | (whole_numbers(values) & (2**_HALF - 1))
        return self.keys.codes(pa.table({_PACKED.names[0]: packed}))


class DistinctValues(Values):
    """Of each value of each group how many tuples have it."""

    def __init__(self, column: str, where: str | None, input_: Schema) -> None:
        super().__init__(column, where, input_)
        self._counts = GroupStates(1)
        self._has_changed = np.empty(0, np.bool_)
        """Whether the count of a code is not as it was saved."""

    @property
    def signs(self) -> str:
        """The signs that count each value once."""
        return f"{self.code} once"

    def observe(self, events: Events) -> None:
        """Count, and leave signs that count each value once."""
        self._counts.grow(self.keys.capacity)
        codes, counting = events.tuples.integers(self.code), events.counting(self.code)
        signs = np.empty(len(counting), np.int8)
        kernels.first_and_last(events.rows, counting, codes, self._counts.numbers.reshape(-1), signs)
        events.once(self.signs, lambda: signs)
        self._has_changed = grown(self._has_changed, self.keys.capacity, False)
        self._has_changed[codes[events.rows[counting != 0]]] = True
        gone = codes[events.rows[signs < 0]]
        gone = gone[self._counts.numbers[gone, 0] == 0]
        self.keys.release(each_once([gone], self.keys.capacity))

    def forget(self, groups: Ints) -> None:
        """Groups without tuples have no values left."""

    def live(self) -> tuple[Ints, Ints]:
        """The codes of all values that are there, and their groups."""
        codes = np.flatnonzero(self._counts.numbers[:, 0] > 0)
        keys = self.keys.keys(codes).column(0).to_numpy()
        return codes, keys >> _HALF if self._is_packed else keys

    def values(self, codes: Ints) -> Column:
        """The values of codes."""
        keys = self.keys.keys(codes)
        if not self._is_packed:
            return one_array(keys[self._column])
        packed = keys.column(0).to_numpy()
        whole: Column = pa.array((packed << _HALF) >> _HALF)
        return whole

    def save(self, changed: Ints) -> State:
        codes = np.flatnonzero(self._has_changed)
        self._has_changed[codes] = False
        return self._counts.save(codes)

    def restore(self, state: State) -> None:
        self._counts.restore(state)
        self._counts.grow(self.keys.capacity)
        self._has_changed = np.zeros(self.keys.capacity, np.bool_)


def whole_numbers(values: Column) -> Ints:
    """Values that are there, in 64 bits."""
    numbers: Ints = values.cast(pa.int64()).to_numpy()
    return numbers


def _is_half(type_: pa.DataType) -> bool:
    """Whether values are whole numbers that fit beside a group's number."""
    return bool(pa.types.is_integer(type_) and type_.bit_width <= _HALF and not pa.types.is_uint32(type_))
