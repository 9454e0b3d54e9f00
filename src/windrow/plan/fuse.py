"""What runs of a plan: selections and projections that follow each other become one Calculate, which is one
statement a batch, and an order in which an answer is shown is no step."""

from __future__ import annotations

from windrow.plan.emitting import InOrder
from windrow.plan.nodes import Calculate, Node, Project, Select


def fuse(node: Node) -> Node:
    """The same plan with Calculate in the place of every Select, Project, or Project over Select."""
    if isinstance(node, Select):
        return Calculate(fuse(node.input), node.predicate, None, node.schema)
    if isinstance(node, Project):
        if isinstance(below := node.input, Select):
            return Calculate(fuse(below.input), below.predicate, node.expressions, node.output)
        return Calculate(fuse(below), None, node.expressions, node.output)
    if isinstance(node, InOrder):
        return fuse(node.input)
    return node.over(*map(fuse, node.inputs))
