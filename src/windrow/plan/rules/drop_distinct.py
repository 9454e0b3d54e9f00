"""DISTINCT of what has no duplicates is nothing to do."""

from __future__ import annotations

from windrow.plan.grouping import Distinct, TopK
from windrow.plan.joins import Join, Negation, SemiJoin
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node, Project, Select
from windrow.plan.update_keys import update_key


def drop_distinct(node: Node) -> Node:
    """No Distinct above rows that differ anyway."""
    node = node.over(*map(drop_distinct, node.inputs))
    return node.input if isinstance(node, Distinct) and differ(node.input) else node


def differ(node: Node) -> bool:
    """Whether no two rows of a result are equal."""
    if isinstance(node, Distinct) or update_key(node) is not None:
        return True
    if isinstance(node, Intersect | Except):
        return node.distinct or differ(node.left)
    if isinstance(node, Join):
        return node.kind == "inner" and all(map(differ, node.inputs))
    if isinstance(node, Project):
        return set(node.passes[0].values()) >= set(node.input.schema.names) and differ(node.input)
    return isinstance(node, Select | SemiJoin | Negation | TopK) and differ(node.inputs[0])
