"""What aggregates are made of: parts that remember something of each group, and note it at moments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import Enum
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from windrow.aggregates.events import Events
from windrow.buffers.parts import State

Ints = npt.NDArray[np.int64]
Failure: TypeAlias = tuple[str | None, str]
"""A tuple as JSON, where it is known which, and why something could not be computed."""

CELL = "cell"
"""The column of tuples that stand for cells that has the cells' numbers."""


class Ending(Enum):
    """How the tuples of an input stop counting."""

    NEVER = "never"
    FORESEEN = "foreseen"
    """The end is known when a tuple comes."""
    TOLD = "told"
    """By a negative tuple."""
    PANES = "panes"
    """With all of their pane, which is added up before it counts."""


class Part(ABC):
    """Something that is remembered of each group.

    Where ends are foreseen, all live tuples are kept, and most parts are rebuilt from them: they are shown
    their arrivals again, with no moments. Otherwise a part saves what it remembers.
    """

    is_rebuilt: ClassVar[bool] = True
    adds_up: ClassVar[bool] = False
    """Whether it can remember cells, which are a group's tuples of a pane, and combine them. It observes
    the arrivals of tuples with cells in the place of groups then, and saves cells."""

    @property
    def is_halted(self) -> bool:
        """It cannot go on, so nor can its query."""
        return False

    def take_failures(self) -> Sequence[Failure]:
        """What could not be computed since the last call; it is forgotten."""
        return ()

    @abstractmethod
    def observe(self, events: Events) -> None:
        """Take in what happens, and note what each moment leaves."""

    def combine(self, events: Events) -> None:
        """Take in that cells, under the name of CELL, come and go; note what each moment leaves."""
        raise ValueError(f"{type(self).__name__} does not add up")

    @abstractmethod
    def forget(self, groups: Ints) -> None:
        """These groups have no tuples left; their numbers may be given to others."""

    def save(self, changed: Ints) -> State:
        """What is remembered, after changes of these groups since the last call."""
        return {}

    def restore(self, state: State) -> None:
        """Remember what was saved."""
        raise ValueError(f"{type(self).__name__} is rebuilt from tuples")
