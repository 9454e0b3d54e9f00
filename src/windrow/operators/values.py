"""The values of rows, of one input or of two, with some numbers for each: what operators know that tell
rows apart by all their columns. NULLs are equal.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.states import GroupStates
from windrow.buffers.growing import each_once
from windrow.buffers.keys import KeyCodes
from windrow.buffers.parts import State, under, within
from windrow.schema import Schema

Values = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int64]


class ValueStates:
    """Values by codes. The numbers of a value that nobody has are 0."""

    def __init__(self, schema: Schema, width: int) -> None:
        self._schema = schema
        self._width = width
        self._empty()

    def _empty(self) -> None:
        self._codes = KeyCodes(self._schema)
        self._states = GroupStates(self._width)
        self._changed: list[Values] = []

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the numbers take."""
        return self._states.numbers.nbytes

    @property
    def capacity(self) -> int:
        """All codes are below it."""
        return self._codes.capacity

    @property
    def numbers(self) -> Numbers:
        """A row for each code, to be changed in place."""
        return self._states.numbers

    def of(self, rows: pa.Table) -> Values:
        """The codes of rows, whose columns may have other names. Their numbers may change."""
        codes = self._codes.codes(rows.rename_columns(list(self._schema.names)))
        self._states.grow(self._codes.capacity)
        self._changed.append(codes)
        return codes

    def touch(self, values: Values) -> None:
        """The numbers of these change."""
        self._changed.append(values)

    def rows(self, values: Values) -> pa.Table:
        """The columns of values."""
        return self._codes.keys(values).cast(self._schema.arrow)

    def release(self, values: Values) -> None:
        """Forget values, each named once."""
        if len(values) == len(self._codes):
            self._empty()
            return
        self._states.numbers[values] = 0
        self._codes.release(values)

    def live(self) -> Values:
        """The values that are there."""
        return np.flatnonzero(self._states.numbers.any(axis=1))

    def save(self) -> State:
        if not len(self._codes):
            return {}
        changed = each_once(self._changed, self._codes.capacity)
        self._changed = []
        return {**under("values", self._codes.save()), **under("numbers", self._states.save(changed))}

    def restore(self, state: State) -> None:
        self._codes.restore(within("values", state))
        self._states.restore(within("numbers", state))
        self._states.grow(self._codes.capacity)
