"""An answer that shrinks reaches its readers as changes: what ends is told by negative tuples."""

from __future__ import annotations

from dataclasses import replace

from windrow.plan.emitting import Changes
from windrow.plan.grouping import Distinct
from windrow.plan.joins import Join
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node, Project
from windrow.plan.patterns import Pattern


def tell_changes(node: Node) -> Node:
    """A whole plan with Changes on top, unless its results never end, or its last step tells the balance of
    each instant by itself: it knows better which ends change nothing."""
    if node.pattern is Pattern.MON or isinstance(node, Changes | Except):
        return node
    if isinstance(node, Distinct | Intersect):
        return replace(node, tells_ends=True)
    return Changes(_telling(node))


def _telling(node: Node) -> Node:
    """The same, but a join tells ends by itself where keys alone say what matches: what ends finds its
    partners again as fast as Changes would find the pairs, and nobody has to keep these."""
    if isinstance(node, Project):
        return node.over(_telling(node.input))
    if isinstance(node, Join) and node.pattern is not Pattern.STR and node.keys and node.condition is None:
        return replace(node, tells_ends=True)
    return node
