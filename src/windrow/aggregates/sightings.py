"""How many different values groups have whose tuples are added up by pane. A value is counted in the last
cell that has it: it is there as long as that cell, and nobody has to count its tuples.
"""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.calls import Call
from windrow.aggregates.distinct_values import Code, Values, whole_numbers
from windrow.aggregates.events import Events
from windrow.aggregates.grid import Grid
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import Part
from windrow.aggregates.states import GroupStates
from windrow.aggregates.sums import cells_of
from windrow.aggregates.tuples import Column
from windrow.buffers.growing import grown
from windrow.buffers.parts import State, under, within
from windrow.kernels import panes as kernels
from windrow.schema import Schema

Ints = npt.NDArray[np.int64]

_GIVEN = np.arange(4) == kernels.GIVEN
_FEW = 1 << 10
"""So many values that are gone are kept."""
_SMALL = 1 << 21
_SPARSE = 8
"""A grid has at most so many places, or so many for each value."""


def sightings(call: Call, ledger: Ledger) -> Sightings:
    """The different values of the one column that a call takes."""
    column = call.only_column()
    assert column is not None
    cells = ledger.part(Cells)
    seen = ledger.part(Sightings, column, call.filter_column(), ledger.input, cells)
    seen.code = ledger.ingredient(Code(seen))
    return seen


class Cells(Part):
    """Of each cell its group, and when it comes and goes."""

    adds_up = True

    def __init__(self) -> None:
        self._states = GroupStates(3)

    @property
    def known(self) -> Ints:
        """By number; all 0 for cells that are not there."""
        return self._states.numbers

    def grow(self, capacity: int) -> None:
        self._states.grow(capacity)

    def there(self) -> Ints:
        """The numbers of the cells that are there."""
        return self._states.there()

    def observe(self, events: Events) -> None:
        """Whoever numbers cells has written down what they are."""

    def combine(self, events: Events) -> None:
        """That changes nothing about them."""

    def forget(self, groups: Ints) -> None:
        self.known[groups] = 0

    def save(self, changed: Ints) -> State:
        return self._states.save(changed)

    def restore(self, state: State) -> None:
        self._states.restore(state)


class Sightings(Values):
    """Of each value the last cell that has it."""

    adds_up = True
    is_rebuilt = False

    def __init__(self, column: str, where: str | None, input_: Schema, cells: Cells) -> None:
        super().__init__(column, where, input_)
        self._cells = cells
        self._seen, self._counts, self._totals = GroupStates(1), GroupStates(4), GroupStates(1)
        """By the codes of values, by cells, by groups."""
        self._changed = {kind: np.empty(0, np.bool_) for kind in ("seen", "counts", "totals")}
        """Whether these are not as they were saved."""
        self._live = self._dead = 0
        """How many values are there, and how many are not any more, but still known."""
        self._grid = Grid() if self._is_packed else None
        """Where codes come from, as long as they lie close together; otherwise from `keys`."""
        self._noted = self._totals.numbers

    @property
    def numbers(self) -> Ints:
        """How many values there are at each moment."""
        return self._noted[:, 0]

    def observe(self, events: Events) -> None:
        codes, signs = events.tuples.integers(self.code), events.counting(self.code)
        self._seen.grow(self._capacity)
        self._counts.grow(events.capacity)
        touched = self._changes("counts", events.capacity)
        what = self._cells.known, self._seen.numbers, self._counts.numbers, touched
        fresh, new = kernels.sight(events.groups, signs, codes, *what)
        if not self._seen.is_new:
            self._changes("seen", self._capacity)[codes if signs.all() else codes[signs != 0]] = True
        self._live, self._dead = self._live + fresh, self._dead - (fresh - new)

    def combine(self, events: Events) -> None:
        moments = events.moments
        openings = moments.groups[: moments.openings]
        self._totals.grow(events.capacity)
        self._noted = np.empty((len(moments), 1), np.int64)
        self._noted[: len(openings)] = self._totals.numbers[openings]
        what = events.rows, events.signs, events.places, events.groups, cells_of(events, self._counts)
        kernels.combine_sighted(*what, self._counts.numbers, self._totals.numbers, self._noted)
        self._changes("totals", events.capacity)[openings] = True

    def forget(self, groups: Ints) -> None:
        """Cells go, and at times the values that went with them."""
        counts = self._counts.numbers
        gone = int(counts[groups, kernels.LAST].sum())
        self._live, self._dead = self._live - gone, self._dead + gone
        counts[groups] = counts[groups] * _GIVEN + _GIVEN
        if self._dead > max(self._live, _FEW) or not self._live:
            self._forget_dead()
        if self._grid is not None and not self._live:
            self._recode(Grid())

    def save(self, changed: Ints) -> State:
        self._changes("counts", len(self._counts.numbers))[changed] = True
        states = {"seen": self._seen, "counts": self._counts, "totals": self._totals}
        saved = {kind: states[kind].save(np.flatnonzero(flags)) for kind, flags in self._changed.items()}
        for flags in self._changed.values():
            flags[:] = False
        known = [
            self._live,
            self._dead,
            *(astuple(self._grid) if self._grid is not None else ()),
        ]
        saved["known"] = {"known": pa.table({"known": known})}
        return {name: table for kind, state in saved.items() for name, table in under(kind, state).items()}

    def restore(self, state: State) -> None:
        told = within("known", state)["known"]["known"].to_numpy()
        self._live, self._dead, *grid = map(int, told)
        self._grid = Grid(*grid) if grid else None
        for kind, each in (("seen", self._seen), ("counts", self._counts), ("totals", self._totals)):
            each.restore(within(kind, state))
        self._seen.grow(self._capacity)

    def codes_of(self, groups: Ints, values: Column) -> Ints:
        if self._grid is not None and len(groups):
            numbers = whole_numbers(values)
            grid = self._grid.holding(groups, numbers)
            if grid.size <= max(_SMALL, _SPARSE * (self._live + len(groups))):
                self._recode(grid)
                return grid.codes(groups, numbers)
            self._recode(None)
        return super().codes_of(groups, values)

    @property
    def _capacity(self) -> int:
        return self.keys.capacity if self._grid is None else self._grid.size

    def _recode(self, grid: Grid | None) -> None:
        """Give the values that are there codes of another grid, or of none."""
        old, self._grid = self._grid, grid
        if old is None or (grid is not None and old.width == grid.width and old.least == grid.least):
            return
        self._forget_dead()
        seen = self._seen.there()
        groups, numbers = old.of(seen)
        codes = super().codes_of(groups, pa.array(numbers)) if grid is None else grid.codes(groups, numbers)
        rows, self._seen = self._seen.numbers[seen], GroupStates(1)
        self._seen.grow(self._capacity)
        self._seen.numbers[codes] = rows
        self._changed["seen"] = np.zeros(self._capacity, np.bool_)

    def _forget_dead(self) -> None:
        codes = self._seen.there()
        cells = self._seen.numbers[codes, 0]
        given = self._counts.numbers[(cells & (2**kernels.NUMBER - 1)) - 1, kernels.GIVEN]
        dead = codes[cells >> kernels.NUMBER != given]
        self._seen.numbers[dead] = 0
        self._changes("seen", self._capacity)[dead] = True
        if self._grid is None:
            self.keys.release(dead)
        self._dead = 0

    def _changes(self, kind: str, capacity: int) -> npt.NDArray[np.bool_]:
        self._changed[kind] = grown(self._changed[kind], capacity, False)
        return self._changed[kind]
