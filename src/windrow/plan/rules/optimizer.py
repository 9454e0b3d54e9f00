"""The rewrite rules, in the order in which they are applied."""

from __future__ import annotations

from collections.abc import Callable

from windrow.plan.nodes import Node

RULES: tuple[Callable[[Node], Node], ...] = ()


def optimize(node: Node) -> Node:
    """An equivalent plan that does less work."""
    for rule in RULES:
        node = rule(node)
    return node
