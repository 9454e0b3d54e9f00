"""The newest so many tuples of each group: each that comes pushes the oldest out, once there are so many.

Time is told by each group's own arrivals: the instant of its n-th tuple is n, and a tuple ends so many
tuples later.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from windrow.aggregates.events import Events, Places
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.population import GROUP, Growing, Population, wanted_events
from windrow.aggregates.tuples import Mask, Tuples
from windrow.buffers.growing import grown
from windrow.buffers.lists import Lists, with_room
from windrow.buffers.parts import State
from windrow.buffers.rows import RowStore
from windrow.delta import NEVER, Delta
from windrow.kernels import counting, yields


class Newest(Population):
    """So many tuples of each group."""

    def __init__(self, ledger: Ledger, size: int) -> None:
        super().__init__(ledger)
        self._size = size
        self._rows = RowStore(self._schema)
        self._keys = np.zeros((0, 5), np.int64)
        self._chain, self._number = np.empty(0, np.int64), np.empty(0, np.int64)
        self._book = np.zeros(3, np.int64)
        self._came = np.empty(0, np.int64)
        """How many tuples each group has had."""

    def on_delta(self, delta: Delta, groups: Places, capacity: int, asked: Mask | None = None) -> Events:
        arrived = self._kept(delta.rows, groups, np.ones(len(delta), np.int8))
        self._make_room(len(delta), capacity)
        first = self._rows.append(arrived)
        came = yields.count_off(groups, NEVER, self._came)
        numbers, mover, signs, gone = counting.arrive(
            groups, first, self._size, 1, self._keys, self._chain, self._number, self._book
        )
        older = numbers < first
        pushed_out = self._rows.take(numbers[older])
        self._rows.release(gone)
        rows = numbers - first + len(pushed_out)
        rows[older] = np.arange(len(pushed_out))
        table = pa.concat_tables([pushed_out, arrived])
        all_groups = np.concatenate([pushed_out[GROUP].to_numpy(), groups])
        ends = np.concatenate([np.zeros(len(pushed_out), np.int64), came + self._size])
        instants, wanted = came[mover], wanted_events(signs, asked)
        places, moments = self._numbering.moments(all_groups, rows, signs, instants, wanted, capacity)
        return Events(Tuples(table), all_groups, ends, rows, signs, instants, places, moments, capacity)

    def survivors(self, capacity: int) -> Events | None:
        table = self._rows.take(self._rows.live())
        groups = table[GROUP].to_numpy()
        ends = yields.count_off(groups, NEVER, np.zeros(capacity, np.int64)) + self._size
        return Events.survivors(groups, ends, Tuples(table), capacity)

    def save(self) -> State:
        return self._rows.save() if len(self._rows) else {}

    def restore(self, state: State) -> None:
        self._rows.restore(state)
        numbers = self._rows.live()
        lists = Lists.of(self._rows.take(numbers)[GROUP].to_numpy())
        self._chain, self._number = lists.chain, numbers[lists.order]
        self._make_room(0, int(lists.keys.max(initial=-1)) + 1)
        self._keys[lists.keys, counting.OLDEST] = lists.first
        self._keys[lists.keys, counting.NEWEST] = lists.first + lists.counts - 1
        self._keys[lists.keys, counting.HELD] = self._came[lists.keys] = lists.counts
        self._book[counting.USED] = len(numbers)

    def _make_room(self, count: int, capacity: int) -> None:
        """Have a list for each group, and slots for so many more tuples."""
        needed = int(self._book[counting.USED]) + count
        self._chain, self._number = with_room(self._chain, needed), with_room(self._number, needed)
        self._keys, self._came = grown(self._keys, capacity, 0), grown(self._came, capacity, 0)


class EachAlone(Growing):
    """Tuples that never end, each of which is a moment by itself."""

    def on_delta(self, delta: Delta, groups: Places, capacity: int, asked: Mask | None = None) -> Events:
        return super().on_delta(replace(delta, ts=np.arange(len(delta))), groups, capacity, asked)
