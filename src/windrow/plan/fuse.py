"""What runs of a plan: selections and projections that follow each other become one Calculate, which is one
statement a batch, groups over a paned window one step with it, and an order in which an answer is shown is
no step."""

from __future__ import annotations

from windrow.plan.emitting import InOrder
from windrow.plan.grouping import GroupBy, GroupByPanes
from windrow.plan.nodes import Calculate, Node, Project, Select
from windrow.plan.windows import Window


def fuse(node: Node) -> Node:
    """The same plan with Calculate in the place of every Select, Project, or Project over Select, and with
    GroupByPanes in that of every GroupBy over a paned window."""
    if isinstance(node, Select):
        return Calculate(fuse(node.input), node.predicate, None, node.schema)
    if isinstance(node, Project):
        if isinstance(below := node.input, Select):
            return Calculate(fuse(below.input), below.predicate, node.expressions, node.output)
        return Calculate(fuse(below), None, node.expressions, node.output)
    if isinstance(node, GroupBy) and isinstance(window := node.input, Window) and window.paned:
        told = node.keys, node.aggregates, node.names, node.repeats
        return GroupByPanes(fuse(window.input), *told, spec=window.spec)
    if isinstance(node, InOrder):
        return fuse(node.input)
    return node.over(*map(fuse, node.inputs))
