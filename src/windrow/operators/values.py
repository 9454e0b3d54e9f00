"""The values of rows, of one input or of two, with some numbers for each: what operators know that tell
rows apart by all their columns. NULLs are equal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.states import GroupStates
from windrow.buffers.growing import grown
from windrow.buffers.keys import KeyCodes
from windrow.buffers.parts import State, under, within
from windrow.kernels.counted import BOTH, LEFT_ALONE, LEFT_ONLY
from windrow.plan.grouping import Distinct
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node
from windrow.schema import Schema

Values = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int64]


RULES: Mapping[type[Node], int] = {
    Distinct: LEFT_ONLY,
    Intersect: BOTH,
    Except: LEFT_ALONE,
}
"""What the kernels go by."""


class ValueStates(ABC):
    """Values by codes. The numbers of a value that nobody has are 0."""

    _states: GroupStates
    _changed: npt.NDArray[np.bool_]
    """Whose numbers are not as they were saved last."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._open()

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""

    @property
    def capacity(self) -> int:
        """All codes are below it."""
        return len(self._states.numbers)

    @property
    def numbers(self) -> Numbers:
        """A row for each code, whose first numbers may be changed in place."""
        return self._states.numbers

    def of(self, rows: pa.Table) -> Values:
        """The codes of rows, whose columns may have other names. Their numbers may change."""
        codes = self._coded(rows)
        self.touch(codes)
        return codes

    def touch(self, values: Values) -> None:
        """The numbers of these change."""
        self._changed[values] = True

    def release(self, values: Values) -> None:
        """Forget values, each named once."""
        if len(values) == len(self):
            self._open()
        elif len(values):
            self.touch(values)
            self._forget(values)

    def live(self) -> Values:
        """The values that are there."""
        return np.flatnonzero(self.numbers.any(axis=1))

    def save(self) -> State:
        changed = np.flatnonzero(self._changed)
        self._changed[:] = False
        return under("numbers", self._states.save(changed)) if len(self) else {}

    def restore(self, state: State) -> None:
        self._states.restore(within("numbers", state))
        self._fit(self.capacity)

    @abstractmethod
    def rows(self, values: Values) -> pa.Table:
        """The columns of values."""

    @abstractmethod
    def _open(self) -> None:
        """Begin without any."""

    @abstractmethod
    def _coded(self, rows: pa.Table) -> Values: ...

    @abstractmethod
    def _forget(self, values: Values) -> None: ...

    def _fit(self, capacity: int) -> None:
        self._states.grow(capacity)
        self._changed = grown(self._changed, capacity, 0)


class KeyedValues(ValueStates):
    """Values of any types."""

    def __init__(self, schema: Schema, width: int) -> None:
        self._width = width
        super().__init__(schema)

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def nbytes(self) -> int:
        return self._states.numbers.nbytes + self._changed.nbytes

    def rows(self, values: Values) -> pa.Table:
        return self._codes.keys(values).cast(self._schema.arrow)

    def save(self) -> State:
        state = super().save()
        return {**state, **under("values", self._codes.save())} if state else {}

    def restore(self, state: State) -> None:
        self._codes.restore(within("values", state))
        super().restore(state)
        self._fit(self._codes.capacity)

    def _open(self) -> None:
        self._codes = KeyCodes(self._schema)
        self._states = GroupStates(self._width)
        self._changed = np.empty(0, np.bool_)

    def _coded(self, rows: pa.Table) -> Values:
        codes = self._codes.codes(rows.rename_columns(list(self._schema.names)))
        self._fit(self._codes.capacity)
        return codes

    def _forget(self, values: Values) -> None:
        self.numbers[values] = 0
        self._codes.release(values)
