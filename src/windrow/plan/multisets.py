"""INTERSECT and EXCEPT of windows, by the number of equal tuples on either side (nile 4.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from windrow.plan.joins import telling, weak
from windrow.plan.nodes import Binary, Distribution, Passed, same_places
from windrow.plan.patterns import Pattern
from windrow.schema import Schema


@dataclass(frozen=True)
class _Counted(Binary):
    """Columns match by position, types are equal, names are the left input's."""

    distinct: bool
    """Without ALL: one of each."""

    def __post_init__(self) -> None:
        if [field.type for field in self.left.schema] != [field.type for field in self.right.schema]:
            raise ValueError("the inputs of a set operation need the same column types")

    @cached_property
    def schema(self) -> Schema:
        return self.left.schema

    @cached_property
    def passes(self) -> tuple[Passed, ...]:
        return tuple(same_places(self.schema, each.schema) for each in self.inputs)

    @property
    def distributions(self) -> tuple[Distribution, ...]:
        return tuple(Distribution("hash", node.schema.names) for node in self.inputs)

    @property
    def detail(self) -> str:
        return "" if self.distinct else "all"


@dataclass(frozen=True)
class Intersect(_Counted):
    """As many of each tuple as both sides have."""

    label: ClassVar[str] = "Intersect"

    tells_ends: bool = field(default=False, kw_only=True)
    """What ends is told by a negative tuple, and of an instant only the balance."""

    @cached_property
    def pattern(self) -> Pattern:
        """When one of a couple of equal tuples expires, the other may find another partner."""
        return telling(weak(self.inputs), self.tells_ends)

    @property
    def detail(self) -> str:
        return " ".join(filter(None, (super().detail, "telling ends" if self.tells_ends else "")))


@dataclass(frozen=True)
class Except(_Counted):
    """As many of each tuple as the left side has more than the right one."""

    label: ClassVar[str] = "Except"

    @cached_property
    def passes(self) -> tuple[Passed, ...]:
        """No result comes of the right side."""
        return super().passes[0], {}

    @property
    def pattern(self) -> Pattern:
        return Pattern.STR
