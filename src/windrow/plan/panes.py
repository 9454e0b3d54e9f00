"""Groups over windows that slide: their tuples need not be kept where all that is asked can be added up."""

from __future__ import annotations

from dataclasses import replace

from windrow.aggregates.registry import adds_up
from windrow.plan.grouping import GroupBy
from windrow.plan.nodes import Node
from windrow.plan.windows import Extent, Window


def in_panes(node: Node) -> Node:
    """The same plan, with windows paned wherever groups above them can do without their tuples."""
    node = node.over(*map(in_panes, node.inputs))
    if isinstance(node, GroupBy) and isinstance(window := node.input, Window) and _fits(node, window):
        return node.over(replace(window, paned=True))
    return node


def _fits(node: GroupBy, window: Window) -> bool:
    spec = window.spec
    if spec.extent is not Extent.TIME or spec.slide is None or spec.is_unbounded or window.exposed:
        return False
    return adds_up(node.aggregates, node.names, window.schema)
