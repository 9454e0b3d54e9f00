"""The order of a whole answer shows when it is asked for; any other is forgotten."""

from __future__ import annotations

from windrow.plan.emitting import InOrder
from windrow.plan.nodes import Node


def forget_order(node: Node) -> Node:
    """The plan with no order but that of its answer."""
    return node.over(*map(_forgotten, node.inputs))


def _forgotten(node: Node) -> Node:
    node = node.over(*map(_forgotten, node.inputs))
    return node.input if isinstance(node, InOrder) else node
