"""What runs an aggregate of the user's own, for all groups of a batch at once: the contract.

An operator decides what happens, and in which order: tuples arrive in groups, expire, results are asked
for. A machine does what the definition says for each of these steps, keeps what the groups remember,
and gives back what they return. Two kinds of machine do the same: one has DuckDB carry out each action,
the other runs compiled code.

Contract, for a step of a group:

- ARRIVE: the next row of the arguments comes. If the group is not there, it is made and INITIALIZE is
  done; else ITERATE. In a window version the tuple is in `inwindow` before that.
- EXPIRE, of window versions alone: the tuple that has been in the window longest leaves it. EXPIRE is
  done, and the tuple is removed; neither, if the definition has deleted it before. A group whose last
  tuple expires is forgotten.
- TERMINATE: TERMINATE is done. A group that is not there returns nothing.
- FORGET: the group and all that it remembers is gone.

An action that fails on a value is left undone, with those behind it at that step; what was done before
it at that step stands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.parts import State

Ints = npt.NDArray[np.int64]
Kinds = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]


class Step(IntEnum):
    """What happens to a group."""

    ARRIVE = 0
    EXPIRE = 1
    TERMINATE = 2
    FORGET = 3


@dataclass(frozen=True, slots=True)
class Steps:
    """What happens to groups, in the order in which it happens."""

    groups: Ints
    """Small numbers, as `KeyCodes` gives them."""
    kinds: Kinds
    heard: Mask | None = None
    """Whether what is returned matters to anybody; None: always."""

    def __len__(self) -> int:
        return len(self.groups)


@dataclass(frozen=True, slots=True)
class Returned:
    """What came of steps."""

    steps: Ints
    """Of each row the step that it was returned at, rising."""
    rows: pa.Table
    """Of the definition's `returns`; a column without a name there has none here."""
    ended: Ints
    """Groups that were there, or came, and are there no more."""
    failed: Ints
    """Steps at which an action failed, rising, and why."""
    reasons: tuple[str, ...] = ()
    is_halted: bool = False
    """The last of them is that the aggregate cannot go on."""


class Halt(Exception):
    """The aggregate cannot go on; the message says why."""

    def __init__(self, step: int, reason: str, before: Returned | None = None) -> None:
        super().__init__(reason)
        self.step = step
        self.before = before
        """What came of the steps before."""


class Machine(ABC):
    """An aggregate of the user's own at work."""

    is_halted = False
    """It could not go on, and returns nothing any more."""
    form = ""
    """What only a machine of the same form can restore; none where any of the definition can."""

    @abstractmethod
    def run(self, steps: Steps, arguments: pa.Table) -> Returned:
        """Do steps. The arguments, a row for each tuple that arrives, have the types of `parameters`."""

    @abstractmethod
    def save(self) -> State:
        """What the groups remember. The machine goes on after it."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Continue from what a machine of this definition and form has saved. Called before any step."""
