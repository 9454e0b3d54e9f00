"""What the aggregates of one operator share: ingredients of each tuple, parts of each group.

Whoever wants an ingredient or a part that is there already gets that one.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.events import Events
from windrow.aggregates.ingredients import Arrived, Ingredient
from windrow.aggregates.parts import Ending, Failure, Part
from windrow.buffers.growing import each_once
from windrow.buffers.parts import State, under, within
from windrow.schema import Schema

Ints = npt.NDArray[np.int64]
P = TypeVar("P", bound=Part)


class Ledger:
    """The ingredients and parts of an operator's aggregates."""

    def __init__(self, input_: Schema, ending: Ending) -> None:
        self.input = input_
        self.ending = ending
        self._ingredients: dict[Ingredient, str] = {}
        self._parts: dict[Hashable, Part] = {}
        self._changed: list[Ints] = []

    def ingredient(self, wanted: Ingredient) -> str:
        """The name of an ingredient."""
        return self._ingredients.setdefault(wanted, f"c{len(self._ingredients)}")

    def part(self, kind: type[P], *arguments: Any) -> P:
        """The part of this kind with these arguments. It observes after those that it was made from."""
        key = kind, arguments
        if key not in self._parts:
            self._parts[key] = kind(*arguments)
        part = self._parts[key]
        assert isinstance(part, kind)
        return part

    @property
    def schema(self) -> pa.Schema:
        """The columns of the ingredients."""
        return pa.schema([(name, each.type) for each, name in self._ingredients.items()])

    def ingredients_of(self, arrived: Arrived) -> list[pa.Array[Any]]:
        """The ingredients of tuples."""
        return [ingredient.of(arrived) for ingredient in self._ingredients]

    def observe(self, events: Events) -> None:
        """Take in what happens."""
        for part in self._parts.values():
            part.observe(events)
        self._changed.append(events.moments.groups[: events.moments.openings])

    @property
    def adds_up(self) -> bool:
        """Whether all parts can combine cells."""
        return all(part.adds_up for part in self._parts.values())

    def add_up(self, arrivals: Events) -> None:
        """Take in tuples that came to cells."""
        for part in self._parts.values():
            part.observe(arrivals)

    def touch(self, cells: Ints) -> None:
        """These are not as they were saved."""
        self._changed.append(cells)

    def combine(self, events: Events) -> None:
        """Take in what happens to cells."""
        for part in self._parts.values():
            part.combine(events)

    def rebuild(self, survivors: Events) -> None:
        """Show the live tuples, or cells, again to the parts that are rebuilt from them."""
        for part in self._parts.values():
            if part.is_rebuilt:
                (part.combine if self.ending is Ending.PANES else part.observe)(survivors)

    def forget(self, groups: Ints) -> None:
        """These groups have no tuples left, or these cells are over; parts forget before those that they
        were made from."""
        for part in reversed(self._parts.values()):
            part.forget(groups)

    @property
    def is_halted(self) -> bool:
        """Something cannot go on."""
        return any(part.is_halted for part in self._parts.values())

    def take_failures(self) -> list[Failure]:
        """What could not be computed since the last call; it is forgotten."""
        return [failure for part in self._parts.values() for failure in part.take_failures()]

    def save(self) -> State:
        """What is remembered beyond the live tuples."""
        capacity = 1 + max((int(each.max(initial=-1)) for each in self._changed), default=-1)
        changed = each_once(self._changed, capacity)
        self._changed = []
        saved = {f"ingredient{place}": each.save() for place, each in enumerate(self._ingredients)}
        for place, part in enumerate(self._parts.values()):
            if self.ending is not Ending.FORESEEN or not part.is_rebuilt:
                saved[f"part{place}"] = part.save(changed)
        return {
            name: table for owner, state in saved.items() for name, table in under(owner, state).items()
        }

    def restore(self, state: State) -> None:
        for place, ingredient in enumerate(self._ingredients):
            if saved := within(f"ingredient{place}", state):
                ingredient.restore(saved)
        for place, part in enumerate(self._parts.values()):
            if saved := within(f"part{place}", state):
                part.restore(saved)
