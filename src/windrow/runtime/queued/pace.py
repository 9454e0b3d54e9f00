"""How long work takes, and who works how long at a stretch, on the virtual clock of a queued execution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windrow.delta import Delta, Instants

MESSAGES_A_TUPLE = 10
"""A message has no columns to compare, to look up or to build; so many take as long as one tuple."""


@dataclass(frozen=True, slots=True)
class Pace:
    """In microseconds. A step takes as long for each tuple that it takes as for each that it gives."""

    tuple_cost: int = 100
    slice: int = 10_000
    """What a step works at least before it is the next one's turn, as long as there is something to do."""

    @property
    def appetite(self) -> int:
        """So many tuples a step takes when it has its turn."""
        return max(1, self.slice // self.tuple_cost)

    def cost(self, tuples: int, messages: int) -> int:
        return tuples * self.tuple_cost + messages * self.tuple_cost // MESSAGES_A_TUPLE

    def shown(self, begin: int, end: int, taken: Instants, given: Delta) -> Instants:
        """When each tuple is given that a step makes, in this time, of what it took at these instants."""
        work = max(1, len(taken) + len(given))
        causes = np.minimum(np.searchsorted(taken, given.ts) + 1, len(taken))
        share = (causes + np.arange(1, len(given) + 1)) / work
        return begin + np.rint(share * (end - begin)).astype(np.int64)
