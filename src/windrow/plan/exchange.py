"""The nodes that stand for tuples moving from a stage to the next one.

All inputs of a node are on the same level: that of a leaf is 0, an Exchange raises it by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from windrow.plan.nodes import Distribution, Leaf, Node, Unary
from windrow.plan.patterns import Pattern
from windrow.schema import Schema


@dataclass(frozen=True)
class Exchange(Unary):
    """Tuples go to where a distribution wants them."""

    label: ClassVar[str] = "Exchange"
    to: Distribution

    @property
    def keeps_state(self) -> bool:
        return False

    @property
    def detail(self) -> str:
        return f"by {self.to}"


@dataclass(frozen=True)
class Received(Leaf):
    """What an exchange brings: a leaf of a later stage."""

    label: ClassVar[str] = "Received"
    id: str
    output: Schema
    edge: Pattern
    life: int | None
    streams: tuple[str, ...]

    @property
    def origins(self) -> tuple[str, ...]:
        return self.streams

    @property
    def schema(self) -> Schema:
        return self.output

    @property
    def pattern(self) -> Pattern:
        return self.edge

    @property
    def lifetime(self) -> int | None:
        return self.life


def level(node: Node) -> int:
    """The number of the stage that a node runs in; for an Exchange, of the stage that it leads to."""
    inputs = max((level(each) for each in node.inputs), default=0)
    return inputs + 1 if isinstance(node, Exchange) else inputs
