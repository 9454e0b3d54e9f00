"""Selections and projections that follow each other become one Calculate: one statement a batch."""

from __future__ import annotations

from windrow.plan.nodes import Calculate, Node, Project, Select


def fuse(node: Node) -> Node:
    """The same plan with Calculate in the place of every Select, Project, or Project over Select."""
    if isinstance(node, Select):
        return Calculate(fuse(node.input), node.predicate, None, node.schema)
    if isinstance(node, Project):
        if isinstance(below := node.input, Select):
            return Calculate(fuse(below.input), below.predicate, node.expressions, node.output)
        return Calculate(fuse(below), None, node.expressions, node.output)
    return node.over(*map(fuse, node.inputs))
