"""Where tuples have to move between stages, and the nodes that stand for it in a plan.

All inputs of a node are on the same level: that of a Scan is 0, an Exchange raises it by one. So
an exchange always leads from a stage to the next one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sqlglot import exp

from windrow.plan.nodes import ANY, SINGLE, Distribution, Leaf, Node, Project, Unary, Union
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


def level(node: Node) -> int:
    """The number of the stage that a node runs in; for an Exchange, of the stage that it leads to."""
    inputs = max((level(each) for each in node.inputs), default=0)
    return inputs + 1 if isinstance(node, Exchange) else inputs


def distribute(node: Node) -> Node:
    """The same plan, with an Exchange wherever tuples are not where the next node needs them."""
    needs = zip(node.inputs, node.distributions, strict=True)
    inputs = [_moved(distribute(each), needed) for each, needed in needs]
    highest = max(map(level, inputs), default=0)
    return node.over(*(_raised(each, highest) for each in inputs))


def placement(node: Node) -> Distribution:
    """How the output of a node lies: rows that agree on the keys of a hash lie together."""
    if isinstance(node, Exchange):
        return node.to
    if isinstance(node, Project):
        return _renamed(placement(node.input), node)
    if isinstance(node, Union):
        return _agreed(node)
    return placement(node.inputs[0]) if node.inputs else ANY


def _moved(node: Node, needed: Distribution) -> Node:
    return node if _satisfies(placement(node), needed) else Exchange(node, needed)


def _satisfies(placed: Distribution, needed: Distribution) -> bool:
    if needed == ANY or placed == SINGLE:
        return True
    return placed.kind == needed.kind == "hash" and set(placed.keys) <= set(needed.keys)


def _raised(node: Node, to: int) -> Node:
    """Sent on to a later stage, spread by all its columns."""
    while level(node) < to:
        node = Exchange(node, Distribution("hash", node.schema.names))
    return node


def _renamed(placed: Distribution, node: Project) -> Distribution:
    pairs = zip(node.expressions, node.output.names, strict=True)
    new = {each.name.lower(): name for each, name in pairs if isinstance(each, exp.Column)}
    if any(key.lower() not in new for key in placed.keys):
        return ANY
    return replace(placed, keys=tuple(new[key.lower()] for key in placed.keys))


def _agreed(node: Union) -> Distribution:
    """Equal tuples of different branches lie together only if all lie by the same columns."""
    placed = [placement(branch) for branch in node.branches]
    by_place = {
        (each.kind, tuple(branch.schema.names.index(key) for key in each.keys))
        for each, branch in zip(placed, node.branches, strict=True)
    }
    return replace(placed[0]) if len(by_place) == 1 else ANY
