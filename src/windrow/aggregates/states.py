"""A row of numbers for each group, which saves only the rows that changed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.buffers.parts import State
from windrow.buffers.segments import Segments
from windrow.delta import room

Ints = npt.NDArray[np.int64]


class GroupStates:
    """Of each group so many whole numbers; all 0 for groups that are not there."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.numbers = np.zeros((0, width), np.int64)
        self._saved = Segments(width)
        self.is_new = True
        """Whether all will be saved at the next time, whatever changed."""

    def grow(self, capacity: int) -> None:
        """Have room for groups below this number."""
        missing = capacity - len(self.numbers)
        if missing > 0:
            longer = room(capacity * self.width, np.int64).reshape(capacity, self.width)
            longer[: len(self.numbers)], longer[len(self.numbers) :] = self.numbers, 0
            self.numbers = longer

    def widened(self, front: int, back: int) -> GroupStates:
        """The same with so many zeros before and behind the numbers of each group."""
        wider = GroupStates(front + self.width + back)
        wider.grow(len(self.numbers))
        wider.numbers[:, front : front + self.width] = self.numbers
        return wider

    def there(self) -> Ints:
        """The groups whose numbers are not all 0."""
        any_: npt.NDArray[np.bool_] = np.zeros(len(self.numbers), np.bool_)
        for column in self.numbers.T:
            any_ |= column != 0
        return np.flatnonzero(any_)

    def save(self, changed: Ints) -> State:
        """All numbers, of which those of `changed` groups (they rise) are not as they were saved last."""
        if self.is_new:
            self.is_new, changed = False, self.there()
        self._saved.add(changed, np.take(self.numbers, changed, axis=0))
        return self._saved.save()

    def restore(self, state: State) -> None:
        self.is_new = False
        groups, numbers = self._saved.restore(state)
        self.grow(int(groups.max(initial=-1)) + 1)
        self.numbers[groups] = numbers
