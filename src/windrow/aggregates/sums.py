"""Exact sums by group, from which most aggregates follow: what comes is added, what goes subtracted.

They are whole numbers at heart (see kernels/digits.py), so nothing is ever rounded before a result is
computed. A sum is therefore the same whatever came and went before, in whatever order and batches.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.events import Events
from windrow.aggregates.parts import CELL, Part
from windrow.aggregates.states import GroupStates
from windrow.buffers.growing import grown
from windrow.buffers.parts import State, under, within
from windrow.delta import Signs, room
from windrow.kernels import digits, panes

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Which: TypeAlias = tuple[Ints, Signs, Ints, Ints]
"""Events, as kernels take them: tuples, signs, moments, and the tuples' groups."""

_ONE = np.array([1], np.int64)


class Sums(Part):
    """Of each group the sum of something over its tuples."""

    adds_up = True

    def __init__(self, counted: str | None, width: int) -> None:
        self._counted = counted
        """The ingredient, or other signs, that tell which tuples count; None: all."""
        self._states = GroupStates(width)
        self._totals = np.zeros((0, width), np.int64)
        """Of each group the sum of its cells that count; the states are of cells then."""
        self.noted: Ints = self._states.numbers
        """After `observe`, or `combine`, the digits of each moment."""

    def observe(self, events: Events) -> None:
        self._states.grow(events.capacity)
        self._prepare(events)
        moments = events.moments
        self.noted = np.empty((len(moments), self._states.width), np.int64)
        self.noted[: moments.openings] = self._states.numbers[moments.groups[: moments.openings]]
        signs = events.counting(self._counted)
        self._add(events, (events.rows, signs, events.places, events.groups), self._states.numbers)

    def combine(self, events: Events) -> None:
        self._totals, self.noted = combined(events, self._states, self._totals)

    def forget(self, groups: Ints) -> None:
        self._states.numbers[groups] = 0

    def save(self, changed: Ints) -> State:
        return self._states.save(changed)

    def restore(self, state: State) -> None:
        self._states.restore(state)

    def _prepare(self, events: Events) -> None:
        """Make room for what is to be added."""

    @abstractmethod
    def _add(self, events: Events, which: Which, state: Ints) -> None: ...


class Counts(Sums):
    """How many tuples there are."""

    def __init__(self, counted: str | None) -> None:
        super().__init__(counted, 1)

    @property
    def numbers(self) -> Ints:
        return self.noted[:, 0]

    @property
    def counts(self) -> Ints:
        """How many tuples each group has after all that was observed."""
        return self._states.numbers[:, 0]

    def _add(self, events: Events, which: Which, state: Ints) -> None:
        digits.add_ones(*which, state, self.noted)


class IntegerSums(Sums):
    """Sums of whole numbers of 64 bits."""

    def __init__(self, name: str, counted: str) -> None:
        super().__init__(counted, 2)
        self._name = name

    def wide_integers(self) -> Ints:
        """The sums, in 128 bits."""
        return digits.to_wide_integers(self.noted)

    def _add(self, events: Events, which: Which, state: Ints) -> None:
        digits.add_integers(*which, events.tuples.integers(self._name), state, self.noted)


class WideIntegerSums(Sums):
    """Sums of whole numbers of 128 bits."""

    def __init__(self, name: str, counted: str) -> None:
        super().__init__(counted, 4)
        self._name = name

    def wide_integers(self) -> Ints:
        """The sums, in 128 bits."""
        return digits.to_wide_integers(self.noted)

    def _add(self, events: Events, which: Which, state: Ints) -> None:
        digits.add_wide_integers(*which, events.tuples.wide_integers(self._name), state, self.noted)


class _ScaledSums(Sums):
    """Sums of numbers with exponents: there are as many digits as the exponents so far need."""

    def __init__(self, counted: str | None, span: int) -> None:
        super().__init__(counted, span)
        self._span = span
        """So many digits can one number touch."""
        self.lowest = 0
        """What the first digit stands for: two to the power of 32 times this, and the least exponent."""
        self._is_scaled = False

    def save(self, changed: Ints) -> State:
        scale = {"lowest": [self.lowest], "width": [self._states.width]}
        return {**under("digits", super().save(changed)), "scale": pa.table(scale)}

    def restore(self, state: State) -> None:
        ((self.lowest, width),) = [tuple(row.values()) for row in state["scale"].to_pylist()]
        self._is_scaled, self._states = True, GroupStates(width)
        self._totals = np.zeros((0, width), np.int64)
        super().restore(within("digits", state))

    def _reach(self, least: int, greatest: int) -> None:
        """Have digits for numbers with exponents from the least to the greatest."""
        if least > greatest:
            return
        first, last = least // digits.BITS, greatest // digits.BITS + self._span
        if not self._is_scaled:
            self.lowest, self._is_scaled = first, True
        front = max(self.lowest - first, 0)
        back = max(last - self.lowest - self._states.width, 0)
        if front or back:
            self._states = self._states.widened(front, back)
            self._totals = np.pad(self._totals, ((0, 0), (front, back)))
            self.lowest -= front


class FloatSums(_ScaledSums):
    """Sums of floating numbers."""

    def __init__(self, name: str, counted: str) -> None:
        super().__init__(counted, digits.SPAN)
        self._name = name
        self._specials = GroupStates(digits.SPECIAL)
        self._special_totals = np.zeros((0, digits.SPECIAL), np.int64)
        self._has_specials = False
        self._special_noted: Ints = self._specials.numbers

    def floats(self) -> Floats:
        """The sums, rounded once."""
        sums = np.empty(len(self.noted))
        digits.to_floats(self.noted, digits.UNIT + digits.BITS * self.lowest, sums)
        if self._has_specials:
            nan, above, below = (self._special_noted[:, kind] > 0 for kind in range(digits.SPECIAL))
            sums[above], sums[below] = np.inf, -np.inf
            sums[nan | (above & below)] = np.nan
        return sums

    @property
    def is_special(self) -> Mask:
        """Whether a moment has anything that is no finite number."""
        if not self._has_specials:
            return np.zeros(len(self.noted), np.bool_)
        special: Mask = np.any(self._special_noted > 0, axis=1)
        return special

    def observe(self, events: Events) -> None:
        super().observe(events)
        if self._has_specials:
            self._observe_specials(events)

    def combine(self, events: Events) -> None:
        super().combine(events)
        if self._has_specials:
            told = combined(events, self._specials, self._special_totals)
            self._special_totals, self._special_noted = told

    def _observe_specials(self, events: Events) -> None:
        self._specials.grow(events.capacity)
        noted = np.empty((len(events.moments), digits.SPECIAL), np.int64)
        openings = events.moments.groups[: events.moments.openings]
        noted[: len(openings)] = self._specials.numbers[openings]
        which = events.rows, events.counting(self._counted), events.places, events.groups
        values = events.tuples.integers(self._name)
        digits.count_specials(*which, values, self._specials.numbers, noted)
        self._special_noted = noted

    def forget(self, groups: Ints) -> None:
        super().forget(groups)
        if self._has_specials:
            self._specials.numbers[groups] = 0

    def save(self, changed: Ints) -> State:
        parts = super().save(changed)
        return {**parts, **under("specials", self._specials.save(changed))} if self._has_specials else parts

    def restore(self, state: State) -> None:
        super().restore(state)
        specials = within("specials", state)
        if specials:
            self._has_specials = True
            self._specials.restore(specials)

    def _prepare(self, events: Events) -> None:
        least, greatest, specials = digits.exponent_range(events.tuples.integers(self._name), _ONE)
        self._reach(least, greatest)
        self._has_specials |= bool(specials)

    def _add(self, events: Events, which: Which, state: Ints) -> None:
        values = events.tuples.integers(self._name)
        digits.add_floats(*which, values, self.lowest, state, self.noted)


class SquareSums(_ScaledSums):
    """Sums of the squares of floating numbers; what is no finite number does not count."""

    def __init__(self, name: str, counted: str) -> None:
        super().__init__(counted, digits.PRODUCT_SPAN)
        self._name = name

    def _prepare(self, events: Events) -> None:
        values = events.tuples.integers(self._name)
        least, greatest, _ = digits.exponent_range(values, values)
        self._reach(least, greatest)

    def _add(self, events: Events, which: Which, state: Ints) -> None:
        values = events.tuples.integers(self._name)
        digits.add_products(*which, values, values, self.lowest, state, self.noted)


def combined(events: Events, states: GroupStates, totals: Ints) -> tuple[Ints, Ints]:
    """The totals of groups, after the numbers of cells were added that come, and of those taken away that
    go; and the totals at each moment."""
    moments = events.moments
    totals = grown(totals, events.capacity, 0)
    width = totals.shape[1]
    noted = room(width * len(moments), np.int64).reshape(len(moments), width)
    noted[: moments.openings] = totals[moments.groups[: moments.openings]]
    what = events.rows, events.signs, events.places, events.groups
    panes.combine(*what, cells_of(events, states), states.numbers, totals, noted)
    return totals, noted


def cells_of(events: Events, states: GroupStates) -> Ints:
    """The cells that come and go; there is a state of each."""
    cells = events.tuples.integers(CELL)
    states.grow(int(cells.max(initial=-1)) + 1)
    return cells
