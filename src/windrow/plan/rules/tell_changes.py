"""An answer that shrinks reaches its readers as changes: what ends is told by negative tuples."""

from __future__ import annotations

from dataclasses import replace

from windrow.plan.emitting import Changes
from windrow.plan.grouping import Distinct
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern


def tell_changes(node: Node) -> Node:
    """A whole plan with Changes on top, unless its results never end, or its last step tells the balance of
    each instant by itself: it knows better which ends change nothing."""
    if node.pattern is Pattern.MON or isinstance(node, Changes | Except):
        return node
    return replace(node, tells_ends=True) if isinstance(node, Distinct | Intersect) else Changes(node)
