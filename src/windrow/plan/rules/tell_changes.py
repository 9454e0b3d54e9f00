"""An answer that shrinks reaches its readers as changes: what ends is told by negative tuples."""

from __future__ import annotations

from windrow.plan.emitting import Changes
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern


def tell_changes(node: Node) -> Node:
    """A whole plan with Changes on top, unless its results never end."""
    return node if node.pattern is Pattern.MON or isinstance(node, Changes) else Changes(node)
