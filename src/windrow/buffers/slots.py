"""Rows in slots: numbers that are used again, so that what else is known of a row can lie in arrays.

Slots are given out going round, so a slot is free for a while before it is used again, and rows that
leave in the order in which they came lie in this order. At least half of the slots are free.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import RowStore
from windrow.kernels.chains import NONE
from windrow.kernels.slots import allot

Slots = npt.NDArray[np.int64]

FEWEST = 1 << 8
_SLOT = "__slot"
_ROUND = "round"


class SlottedRows:
    """Rows, each in a slot from `enter` to `release`."""

    def __init__(self, schema: pa.Schema) -> None:
        self._names = schema.names
        self._schema = schema.append(pa.field(_SLOT, pa.int64()))
        self._open()

    def _open(self) -> None:
        self._rows = RowStore(self._schema)
        self._taken = np.zeros(FEWEST, np.bool_)
        self._number = np.empty(FEWEST, np.int64)
        self._cursor = 0

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def capacity(self) -> int:
        """All slots are below it. It doubles."""
        return len(self._taken)

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes + self._taken.nbytes + self._number.nbytes

    def enter(self, rows: pa.Table) -> Slots:
        """Keep rows; their slots."""
        slots = np.empty(len(rows), np.int64)
        self._make_room(len(self) + len(rows))
        self._cursor = allot(self._taken, self._cursor, slots)
        first = self._rows.append(rows.append_column(_SLOT, pa.array(slots)))
        self._number[slots] = np.arange(first, first + len(slots))
        return slots

    def take(self, slots: Slots, columns: Sequence[str] | None = None) -> pa.Table:
        """Rows by slot, in this order; one may be asked for several times. All columns, or these."""
        return self._rows.take(self._number[slots], self._names if columns is None else columns)

    def take_or_null(self, slots: Slots, columns: Sequence[str]) -> pa.Table:
        """Likewise; a row of NULLs for NONE."""
        there = slots != NONE
        if there.all():
            return self.take(slots, columns)
        places = pa.array(np.cumsum(there) - 1, mask=~there)
        return self.take(slots[there], columns).take(places)

    def release(self, slots: Slots) -> None:
        """Let rows go, each named once."""
        self._taken[slots] = False
        self._rows.release(self._number[slots])
        if not len(self):
            self._open()

    def live(self) -> Slots:
        """The slots of the rows that are there, in the order in which the rows came."""
        slots: Slots = self._rows.take(self._rows.live(), [_SLOT])[_SLOT].to_numpy()
        return slots

    def save(self) -> State:
        cursor = pa.table({_ROUND: [self.capacity, self._cursor]})
        return {_ROUND: cursor, **under("rows", self._rows.save())} if len(self) else {}

    def restore(self, state: State) -> None:
        capacity, cursor = state[_ROUND][_ROUND].to_numpy().tolist()
        self._cursor = cursor
        self._rows.restore(within("rows", state))
        self._taken, self._number = np.zeros(capacity, np.bool_), np.empty(capacity, np.int64)
        slots = self.live()
        self._taken[slots] = True
        self._number[slots] = self._rows.live()

    def _make_room(self, count: int) -> None:
        capacity = self.capacity
        while 2 * count > capacity:
            capacity *= 2
        if capacity > self.capacity:
            more = capacity - self.capacity
            self._cursor = self.capacity
            self._taken = np.append(self._taken, np.zeros(more, np.bool_))
            self._number = np.append(self._number, np.empty(more, np.int64))
