"""What happens to groups in a batch: tuples come and go, and at which moments results are asked for.

A *moment* is one group at one instant. The first moments are *openings*: what each group that occurs
was before the batch. The others follow in the order in which they begin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from windrow.aggregates.tuples import Mask, Tuples
from windrow.delta import BEGINNING, Instants, Signs
from windrow.kernels import moments as kernels

Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Moments:
    """The moments of a batch."""

    groups: Places
    instants: Instants
    """Of openings, anything."""
    before: Places
    """The moment of the same group before; of openings, anything."""
    openings: int

    def __len__(self) -> int:
        return len(self.groups)

    def final(self) -> Places:
        """Of each group that occurs, its last moment."""
        is_final = np.ones(len(self), np.bool_)
        is_final[self.before[self.openings :]] = False
        return np.flatnonzero(is_final)

    @classmethod
    def none(cls) -> Moments:
        nothing = np.empty(0, np.int64)
        return cls(nothing, nothing, nothing, 0)

    @classmethod
    def opening(cls, group: int) -> Moments:
        """What a group was before anything happened."""
        return cls(np.array([group]), np.array([BEGINNING]), np.array([0]), 1)


@dataclass(frozen=True, slots=True)
class Events:
    """Arrivals and departures in the order in which they count."""

    tuples: Tuples
    groups: Places
    """Of each tuple its group."""
    ends: Instants | None
    """Of each tuple when it ends, on the scale of `instants`; None where nobody can foresee it."""
    rows: Places
    """Of each event its tuple."""
    signs: Signs
    """+1: it comes, -1: it goes."""
    instants: Instants
    places: Places
    """Of each event its moment; -1 where nobody asks."""
    moments: Moments
    capacity: int
    """All groups are below it."""
    _signs: dict[str, Signs] = field(default_factory=dict)

    @classmethod
    def survivors(cls, groups: Places, ends: Instants | None, tuples: Tuples, capacity: int) -> Events:
        """The arrivals of tuples that are there, once more, in their order; nobody asks for results."""
        count = len(groups)
        signs, instants = np.ones(count, np.int8), np.full(count, BEGINNING)
        rows, nowhere = np.arange(count), np.full(count, -1)
        return cls(tuples, groups, ends, rows, signs, instants, nowhere, Moments.none(), capacity)

    def counting(self, name: str | None) -> Signs:
        """The signs of the events, 0 where an ingredient is NULL."""
        if name is None:
            return self.signs
        return self.once(name, lambda: self._counting(name))

    def once(self, name: str, make: Callable[[], Signs]) -> Signs:
        """Signs under a name, made at the first call."""
        if name not in self._signs:
            self._signs[name] = make()
        return self._signs[name]

    def _counting(self, name: str) -> Signs:
        counted = self.tuples.counted(name)
        return self.signs if counted is None else self.signs * counted[self.rows]


def in_order(ends: Instants, ending: Places, ts: Instants, first: int) -> tuple[Places, Signs, Instants]:
    """Departures of rows `ending` and arrivals of those from `first` on, as events in the order in which
    they count. For long arrays NumPy asks for memory in large pages; kernels do not."""
    count = len(ends) + len(ts)
    rows, signs, instants = np.empty(count, np.int64), np.empty(count, np.int8), np.empty(count, np.int64)
    kernels.order_events(ends, ending, ts, first, rows, signs, instants)
    return rows, signs, instants


class Numbering:
    """Finds moments. It keeps nothing but memory that it uses again."""

    def __init__(self) -> None:
        self._newest = np.full(0, -1, np.int64)

    def moments(
        self,
        groups: Places,
        rows: Places,
        signs: Signs,
        instants: Instants,
        asked: Mask,
        capacity: int,
    ) -> tuple[Places, Moments]:
        """The moment of each event, and all moments. Events that are not asked make none."""
        if len(self._newest) < capacity:
            self._newest = np.full(capacity, -1, np.int64)
        count = len(rows)
        places, of_group, at, before = (np.empty(size, np.int64) for size in (count, *[2 * count] * 3))
        openings, used = kernels.number_moments(
            rows, signs, instants, groups, asked, self._newest, places, of_group, at, before
        )
        return places, Moments(of_group[:used], at[:used], before[:used], openings)
