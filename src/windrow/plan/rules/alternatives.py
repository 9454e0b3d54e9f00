"""Rewrites of which nobody can say beforehand whether they make a plan cheaper.

Each gives what a plan could be instead, changed at its root; a cost decides. Joins with NRRs stay where
they are: a tuple meets the rows of its own instant, and a pair of tuples has another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from windrow.plan.nodes import Node
from windrow.plan.rules.pull_up_negation import pull_up_negation
from windrow.plan.rules.push_down_distinct import push_down_distinct
from windrow.plan.rules.push_down_negation import push_down_negation
from windrow.plan.rules.swap_joins import swap_joins

Alternative: TypeAlias = Callable[[Node], Iterator[Node]]

ALTERNATIVES: tuple[Alternative, ...] = (
    push_down_distinct,
    push_down_negation,
    pull_up_negation,
    swap_joins,
)


def everywhere(rule: Alternative, node: Node) -> Iterator[Node]:
    """The plans that differ from this one in one place, where the rule was applied."""
    yield from rule(node)
    for place, each in enumerate(node.inputs):
        for other in everywhere(rule, each):
            inputs = (*node.inputs[:place], other, *node.inputs[place + 1 :])
            try:
                yield node.over(*inputs)
            except ValueError:
                continue  # a step above cannot take what the alternative gives, such as negative tuples
