"""Tuples of windows that slide, added up as they come.

All tuples that a window lets in at one of its moves, and out at one other, are a *pane*. Of the tuples of
a pane that a group has, its *cell*, the sums are kept, and no tuple: the whole cell comes and goes.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from windrow.aggregates.events import Events, Moments, Numbering, Places, in_order
from windrow.aggregates.ingredients import Arrived
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import CELL
from windrow.aggregates.sightings import Cells
from windrow.aggregates.tuples import Mask, Tuples
from windrow.buffers.fifo import Fifo
from windrow.buffers.growing import grown
from windrow.buffers.parts import State
from windrow.delta import BEGINNING, Instants, room
from windrow.kernels import panes as kernels

_FEWEST = 1 << 10
_CLOCK = "clock"


class Panes:
    """The cells that count, and those that will."""

    def __init__(self, ledger: Ledger, size: int, slide: int) -> None:
        self._ledger, self._size, self._slide = ledger, size, slide
        self._cells = ledger.part(Cells)
        self._free, self._taken = np.empty(0, np.int64), 0
        """The numbers that were given back, and how many were ever taken."""
        self._newest = np.empty(0, np.int64)
        """Of each group its newest cell, if that does not count yet; or else -1."""
        self._entering, self._leaving = Fifo(), Fifo()
        self._touched = np.empty(0, np.bool_)
        """Which cells are not as they were saved."""
        self._over = np.empty(0, np.int64)
        """Cells that nobody needs any more."""
        self._clock = BEGINNING
        self._rows = self._nowhere = np.empty(0, np.int64)
        self._ones = np.empty(0, np.int8)
        """What is said of all tuples that come."""
        self._numbering = Numbering()

    def arrive(self, ts: Instants, rows: pa.Table, groups: Places, capacity: int) -> None:
        """Add tuples to their cells. They are in time order, and some window sees each."""
        count = len(ts)
        self._let_go()
        self._newest = grown(self._newest, capacity, -1)
        missing = max(count - len(self._free), 0)
        free = np.concatenate([self._free, np.arange(self._taken, self._taken + missing)])
        self._cells.grow(_rounded(self._taken + missing))
        found = room(count, np.int64)
        what = self._size, self._slide, free, self._newest, self._cells.known, found
        self._touched = grown(self._touched, len(self._cells.known), False)
        made = kernels.number_cells(ts, groups, *what, self._touched)
        new, self._free = free[:made], free[made : len(self._free)]
        self._taken = max(self._taken, int(new.max(initial=-1)) + 1)
        self._entering.insert(new, self._cells.known[new, kernels.ENTER])
        if count > len(self._rows):
            self._rows, self._nowhere = np.arange(count), np.full(count, -1)
            self._ones = np.ones(count, np.int8)
        ones, places = self._ones[:count], self._nowhere[:count]
        names = self._ledger.schema.names
        kept = pa.table(self._ledger.ingredients_of(Arrived(rows, groups, ones)), names)
        self._ledger.add_up(
            Events(
                *(Tuples(kept), found, None, self._rows[:count], ones, ts, places, Moments.none()),
                _rounded(self._taken),
            )
        )

    def pass_until(self, clock: int, capacity: int) -> Events:
        """The cells that come and go until the clock has come there."""
        self._let_go()
        entering, enters = self._entering.expire_until(clock)
        known = self._cells.known
        self._leaving.insert(entering, known[entering, kernels.LEAVE])
        leaving, leaves = self._leaving.expire_until(clock)
        self._over, self._clock = leaving, clock
        self._newest = grown(self._newest, capacity, -1)
        cells = np.concatenate([leaving, entering])
        groups, ends = (np.ascontiguousarray(known[cells, kind]) for kind in (kernels.GROUP, kernels.LEAVE))
        last = groups[len(leaving) :]
        self._newest[last[self._newest[last] == entering]] = -1
        places = np.arange(len(leaving))
        rows, signs, instants = in_order(leaves, places, enters, len(leaving))
        wanted = np.ones(len(rows), np.bool_)
        places, moments = self._numbering.moments(groups, rows, signs, instants, wanted, capacity)
        return Events(_tuples(cells), groups, ends, rows, signs, instants, places, moments, capacity)

    def survivors(self, capacity: int) -> Events:
        """The coming of all cells that count now, again."""
        cells = self._cells.there()
        cells = cells[self._cells.known[cells, kernels.ENTER] <= self._clock]
        groups, ends = (self._cells.known[cells, kind] for kind in (kernels.GROUP, kernels.LEAVE))
        return Events.survivors(groups, ends, _tuples(cells), capacity)

    def await_cells(self, groups: Places) -> Mask:
        """Whether these groups have cells that do not count yet."""
        return self._newest[groups] >= 0

    def save(self) -> State:
        self._let_go()
        self._ledger.touch(np.flatnonzero(self._touched))
        self._touched[:] = False
        return {_CLOCK: pa.table({_CLOCK: [self._clock]})}

    def restore(self, state: State) -> None:
        """The cells were restored before."""
        self._clock = state[_CLOCK][_CLOCK][0].as_py()
        known, there = self._cells.known, self._cells.there()
        self._taken = int(there.max(initial=-1)) + 1
        self._free = np.setdiff1d(np.arange(self._taken), there)
        self._touched = np.zeros(len(known), np.bool_)
        order = there[np.lexsort((known[there, kernels.LEAVE], known[there, kernels.ENTER]))]
        enters = known[order, kernels.ENTER]
        live = int(np.searchsorted(enters, self._clock, side="right"))
        self._leaving.insert(order[:live], known[order[:live], kernels.LEAVE])
        self._entering.insert(order[live:], enters[live:])
        groups = known[order[live:], kernels.GROUP]
        self._newest = np.full(int(groups.max(initial=-1)) + 1, -1)
        self._newest[groups] = order[live:]

    def _let_go(self) -> None:
        """The numbers of cells that are over may be given to others."""
        if len(self._over):
            self._ledger.forget(self._over)
            self._touched[self._over] = True
            self._free = np.sort(np.concatenate([self._free, self._over]), kind="stable")
            self._over = self._over[:0]


def _tuples(cells: Places) -> Tuples:
    """What stands for cells, in the place of tuples."""
    return Tuples(pa.table({CELL: cells}))


def _rounded(count: int) -> int:
    """Room for so many that seldom grows."""
    return max(1 << (count - 1).bit_length(), _FEWEST)
