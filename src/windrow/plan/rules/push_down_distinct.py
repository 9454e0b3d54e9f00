"""DISTINCT moves below joins and half joins, where it remembers less, and spares the join duplicates.

Below NOT EXISTS its input is not strict any more, and so it need not remember all of it. Above a projection
that drops columns it stays as well; `drop_distinct` takes away what is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from windrow.plan.grouping import Distinct
from windrow.plan.joins import Join, Negation, SemiJoin
from windrow.plan.nodes import Node, Project
from windrow.plan.rules.carrying import above
from windrow.plan.rules.drop_distinct import differ
from windrow.plan.rules.push_down_selection import ONE_VALUE
from windrow.plan.rules.substitution import is_volatile


def push_down_distinct(node: Node) -> Iterator[Node]:
    """DISTINCT on one side, on the other, and on both."""
    if not isinstance(node, Distinct) or not _is_fixed(node.input):
        return
    below = node.input.input if isinstance(node.input, Project) else node.input
    for places in _sides(below):
        inputs = [Distinct(each) if place in places else each for place, each in enumerate(below.inputs)]
        yield node.over(above(node.input, below.over(*inputs)))


def _sides(below: Node) -> tuple[frozenset[int], ...]:
    """Sides that have duplicates, and are not told apart by what DISTINCT calls equal."""
    if isinstance(below, Negation | SemiJoin):
        candidates = [0]
    elif isinstance(below, Join) and below.kind == "inner":
        candidates = [0, 1]
    else:
        return ()
    sides = [place for place in candidates if _may_have(below.inputs[place])]
    both = [frozenset(sides)] if len(sides) > 1 else []
    return (*(frozenset([place]) for place in sides), *both)


def _may_have(side: Node) -> bool:
    return not differ(side) and all(field.type in ONE_VALUE for field in side.schema)


def _is_fixed(node: Node) -> bool:
    return not (isinstance(node, Project) and any(map(is_volatile, node.expressions)))
