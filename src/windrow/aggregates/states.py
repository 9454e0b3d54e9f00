"""A row of numbers for each group, which saves only the rows that changed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.tuples import bits, from_bits, one_array
from windrow.buffers.parts import State
from windrow.buffers.rows import RowStore

Ints = npt.NDArray[np.int64]


class GroupStates:
    """Of each group so many whole numbers; all 0 for groups that are not there."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.numbers = np.zeros((0, width), np.int64)
        self._saved = RowStore(self._schema)
        self._row_of = np.empty(0, np.int64)
        """Where the numbers of a group are saved; -1: nowhere."""
        self._is_new = True

    def grow(self, capacity: int) -> None:
        """Have room for groups below this number."""
        missing = capacity - len(self.numbers)
        if missing > 0:
            self.numbers = np.concatenate([self.numbers, np.zeros((missing, self.width), np.int64)])
            self._row_of = np.concatenate([self._row_of, np.full(missing, -1, np.int64)])

    def widened(self, front: int, back: int) -> GroupStates:
        """The same with so many zeros before and behind the numbers of each group."""
        wider = GroupStates(front + self.width + back)
        wider.grow(len(self.numbers))
        wider.numbers[:, front : front + self.width] = self.numbers
        return wider

    def save(self, changed: Ints) -> State:
        """All numbers, of which those of `changed` groups are not as they were saved last."""
        if self._is_new:
            self._is_new, changed = False, np.arange(len(self.numbers))
        before = self._row_of[changed]
        self._saved.release(before[before >= 0])
        self._row_of[changed] = -1
        there = changed[self.numbers[changed].any(axis=1)]
        packed = from_bits(self.numbers[there], self._schema.field("numbers").type, None)
        rows = pa.table([pa.array(there), packed], schema=self._schema)
        self._row_of[there] = self._saved.append(rows) + np.arange(len(there))
        return self._saved.save()

    def restore(self, state: State) -> None:
        self._is_new = False
        self._saved.restore(state)
        places = self._saved.live()
        rows = self._saved.take(places)
        groups = rows["group"].to_numpy()
        self.grow(int(groups.max(initial=-1)) + 1)
        self._row_of[groups] = places
        self.numbers[groups] = bits(one_array(rows["numbers"]), self.width)

    @property
    def _schema(self) -> pa.Schema:
        numbers: pa.DataType = pa.binary(8 * self.width)
        return pa.schema([pa.field("group", pa.int64()), pa.field("numbers", numbers)])
