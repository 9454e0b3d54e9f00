"""Where some results of a union end unforeseen, all ends are told by negative tuples."""

from __future__ import annotations

from windrow.plan.expiration import Expire
from windrow.plan.nodes import Node, Union
from windrow.plan.patterns import Pattern


def tell_ends(node: Node) -> Node:
    """On one edge ends are told in one way, so beside a strict branch of a union the ends of the other
    branches are told, too."""
    node = node.over(*map(tell_ends, node.inputs))
    if not isinstance(node, Union) or node.pattern is not Pattern.STR:
        return node
    return node.over(*(_told(branch) for branch in node.branches))


def _told(branch: Node) -> Node:
    return Expire(branch) if branch.pattern in (Pattern.WKS, Pattern.WK) else branch
