"""How many different values groups have whose tuples are added up by pane. A value is counted in the last
cell that has it: it is there as long as that cell, and nobody has to count its tuples.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.aggregates.calls import Call
from windrow.aggregates.distinct_values import Code, Values
from windrow.aggregates.events import Events
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import Part
from windrow.aggregates.states import GroupStates
from windrow.aggregates.sums import cells_of
from windrow.buffers.growing import grown
from windrow.buffers.parts import State, under, within
from windrow.kernels import panes as kernels
from windrow.schema import Schema

Ints = npt.NDArray[np.int64]


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
        self._seen, self._counts, self._totals = GroupStates(2), GroupStates(2), GroupStates(1)
        """By the codes of values, by cells, by groups."""
        self._changed = {kind: np.empty(0, np.bool_) for kind in ("seen", "counts", "totals")}
        """Whether these are not as they were saved."""
        self._dead = 0
        """How many values are known that are not there any more."""
        self._noted = self._totals.numbers

    @property
    def numbers(self) -> Ints:
        """How many values there are at each moment."""
        return self._noted[:, 0]

    def observe(self, events: Events) -> None:
        codes, signs = events.tuples.integers(self.code), events.counting(self.code)
        self._seen.grow(self.keys.capacity)
        self._counts.grow(events.capacity)
        touched = self._changes("counts", events.capacity)
        what = self._cells.known, self._seen.numbers, self._counts.numbers, touched
        kernels.sight(events.groups, signs, codes, *what)
        self._changes("seen", self.keys.capacity)[codes if signs.all() else codes[signs != 0]] = True

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
        """Cells go, all at once that leave until the last of them does; and at times the values that went
        with them, so that they are no more than half of those that are there."""
        self._dead += int(self._counts.numbers[groups, kernels.LAST].sum())
        self._counts.numbers[groups] = 0
        if 3 * self._dead > len(self.keys):
            seen, over = self._seen.numbers, self._cells.known[groups, kernels.LEAVE].max()
            dead = np.flatnonzero((seen[:, 0] > 0) & (seen[:, 1] <= over))
            seen[dead] = 0
            self._changes("seen", self.keys.capacity)[dead] = True
            self.keys.release(dead)
            self._dead = 0

    def save(self, changed: Ints) -> State:
        self._changes("counts", len(self._counts.numbers))[changed] = True
        states = {"seen": self._seen, "counts": self._counts, "totals": self._totals}
        saved = {kind: states[kind].save(np.flatnonzero(flags)) for kind, flags in self._changed.items()}
        for flags in self._changed.values():
            flags[:] = False
        return {name: table for kind, state in saved.items() for name, table in under(kind, state).items()}

    def restore(self, state: State) -> None:
        for kind, each in (("seen", self._seen), ("counts", self._counts), ("totals", self._totals)):
            each.restore(within(kind, state))
        self._seen.grow(self.keys.capacity)
        self._dead = len(self.keys) - int(self._counts.numbers[:, kernels.LAST].sum())

    def _changes(self, kind: str, capacity: int) -> npt.NDArray[np.bool_]:
        self._changed[kind] = grown(self._changed[kind], capacity, False)
        return self._changed[kind]
