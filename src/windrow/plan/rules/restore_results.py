"""A restored periodic query is computed at every instant, and told when it would be evaluated."""

from __future__ import annotations

from dataclasses import replace

from windrow.plan.emitting import ToStream, windows_of
from windrow.plan.nodes import Node
from windrow.plan.windows import Window


def restore_results(node: Node) -> Node:
    """The slide of the windows below a restored output becomes the output's own: so what comes and goes
    between two of its multiples reaches the output, and waits there."""
    node = node.over(*map(restore_results, node.inputs))
    if not isinstance(node, ToStream) or not node.restore or node.every is not None:
        return node
    windows = tuple(windows_of(node.input))
    slide = windows[0].spec.slide if windows else None
    return replace(node, input=_moving(node.input, windows), every=slide) if slide else node


def _moving(node: Node, windows: tuple[Window, ...]) -> Node:
    """The same, with these windows moving at once."""
    if node in windows and isinstance(node, Window):
        return replace(node, spec=replace(node.spec, slide=None))
    return node.over(*(_moving(each, windows) for each in node.inputs))
