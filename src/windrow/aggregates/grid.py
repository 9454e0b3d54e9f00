"""Codes of small whole numbers by group, without looking anything up: for each group a row, with a place
for each number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from windrow.delta import room

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of places for the numbers from `least` on."""

    least: int = 0
    width: int = 1
    groups: int = 0

    @property
    def size(self) -> int:
        """All codes are below it."""
        return self.width * self.groups

    def codes(self, groups: Ints, numbers: Ints) -> Ints:
        codes: Ints = np.multiply(groups, self.width, out=room(len(groups), np.int64))
        codes += numbers
        codes -= self.least
        return codes

    def of(self, codes: Ints) -> tuple[Ints, Ints]:
        """The groups and numbers that have these codes."""
        return codes // self.width, codes % self.width + self.least

    def holding(self, groups: Ints, numbers: Ints) -> Grid:
        """A grid, if possible with the same codes, with places for these, too; there are some."""
        rows = max(self.groups, 1 << int(groups.max()).bit_length())
        low, high = int(numbers.min()), int(numbers.max())
        if not self.groups:
            return Grid(low, 1 << (high - low).bit_length(), rows)
        if self.least <= low and high < self.least + self.width:
            return self if rows == self.groups else Grid(self.least, self.width, rows)
        low, high = min(low, self.least), max(high, self.least + self.width - 1)
        return Grid(low, 1 << (high - low).bit_length(), rows)
