"""Which rows stop counting when: numbers of rows, by instant.

What an operator remembers it keeps in a RowStore, or in arrays of its own; beside it lies one of these,
and says whose time has come. Which one follows from the pattern of the edge that the rows came on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from windrow.delta import NEVER, Instants

Numbers = npt.NDArray[np.int64]


class Expiries(ABC):
    """Numbers with the instants of their ends. It is not saved: who saves the rows enters them again."""

    def __init__(self) -> None:
        self.probes = 0
        """How many entries were looked at to find those that ended, and places where none was."""

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def nbytes(self) -> int: ...

    def insert(self, numbers: Numbers, exp: Instants) -> None:
        """Numbers, higher than those before, and their ends. What never ends is not kept."""
        ending = exp < NEVER
        if ending.all():
            self._insert(numbers, exp)
        else:
            self._insert(numbers[ending], exp[ending])

    @abstractmethod
    def _insert(self, numbers: Numbers, exp: Instants) -> None:
        """Numbers that do end."""

    @abstractmethod
    def expire_until(self, clock: int) -> tuple[Numbers, Instants]:
        """Those that end at the clock or before, with their ends, in the order of these and then of
        the numbers. They are forgotten. The clock never falls."""


NOTHING: tuple[Numbers, Instants] = np.empty(0, np.int64), np.empty(0, np.int64)
"""What ends where nothing does."""
