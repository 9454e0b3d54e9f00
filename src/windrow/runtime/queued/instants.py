"""Instants that somebody waits for, each once: above all those at which something that was sent ends.

This is what nile's Algorithm 1 and its table of joined tuples come to. For each tuple of a join they count
the results that end with it, so as to send a message when the first such tuple of an instant ends, and none
for tuples without results. For that it is enough to know the instants at which some result ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush

import numpy as np

from windrow.delta import NEVER
from windrow.delta import Instants as Array


class Instants:
    """A set of instants that gives the earliest first."""

    def __init__(self, known: Iterable[int] = ()) -> None:
        self._heap: list[int] = sorted(known)
        self._known = set(self._heap)

    @property
    def next(self) -> int:
        """The earliest; NEVER if there is none."""
        return self._heap[0] if self._heap else NEVER

    def add(self, instants: Array) -> None:
        for instant in np.unique(instants).tolist():
            if instant < NEVER and instant not in self._known:
                self._known.add(instant)
                heappush(self._heap, instant)

    def take(self, until: int) -> list[int]:
        """Those that have come, in order; they are forgotten."""
        come = []
        while self._heap and self._heap[0] <= until:
            come.append(heappop(self._heap))
        self._known.difference_update(come)
        return come

    def to_list(self) -> list[int]:
        return sorted(self._heap)
