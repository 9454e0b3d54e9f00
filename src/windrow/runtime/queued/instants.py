"""Instants that somebody waits for, each once: above all those at which something that was sent ends.

This is what nile's Algorithm 1 and its table of joined tuples come to. For each tuple of a join they count
the results that end with it, so as to send a message when the first such tuple of an instant ends, and none
for tuples without results. For that it is enough to know the instants at which some result ends.
"""

from __future__ import annotations

import numpy as np

from windrow.delta import NEVER
from windrow.delta import Instants as Array


class Instants:
    """A set of instants that gives the earliest first: sorted runs, of which small ones are merged."""

    def __init__(self) -> None:
        self._runs: list[Array] = []

    @property
    def next(self) -> int:
        """The earliest; NEVER if there is none."""
        return min((int(run[0]) for run in self._runs), default=NEVER)

    def add(self, instants: Array) -> None:
        known = np.unique(instants[instants < NEVER])
        if not len(known):
            return
        self._runs.append(known)
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            self._runs.append(np.union1d(self._runs.pop(), self._runs.pop()))

    def take(self, until: int) -> list[int]:
        """Those that have come, in order; they are forgotten."""
        if self.next > until:
            return []
        come = [int(np.searchsorted(run, until, side="right")) for run in self._runs]
        taken = [run[:count] for run, count in zip(self._runs, come, strict=True)]
        left = (run[count:] for run, count in zip(self._runs, come, strict=True))
        self._runs = [run for run in left if len(run)]
        return list(np.unique(np.concatenate(taken)).tolist())

    def all(self) -> Array:
        return np.unique(np.concatenate([np.empty(0, np.int64), *self._runs]))
