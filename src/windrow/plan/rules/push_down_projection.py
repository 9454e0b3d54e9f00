"""Projections move below windows: columns are computed where tuples are read, and are there for an
exchange to go by."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from windrow.plan.nodes import Node, Project
from windrow.plan.rules.substitution import is_volatile
from windrow.plan.windows import Extent, OutputWindow, Window


def push_down_projection(node: Node) -> Node:
    """Each projection through the windows below it."""
    if isinstance(node, Project) and isinstance(node.input, Window | OutputWindow):
        sunk = _sunk(node, node.input)
        if sunk is not None:
            return sunk.over(*map(push_down_projection, sunk.inputs))
    return node.over(*map(push_down_projection, node.inputs))


def _sunk(node: Project, below: Window | OutputWindow) -> Node | None:
    if not _may_move(node, below):
        return None
    names = {source.lower(): name for name, source in node.passes[0].items()}
    if any(key.lower() not in names for key in below.spec.partition):
        return None
    partition = (names[key.lower()] for key in below.spec.partition)
    fields = {field.name.lower(): field.name for field in node.output}
    spec = replace(below.spec, partition=tuple(fields[name] for name in partition))
    return replace(below, input=node.over(below.input), spec=spec)


def _may_move(node: Project, below: Window | OutputWindow) -> bool:
    """A tuple that an expression fails on is left out; in a window of tuples it would have counted."""
    if isinstance(below, Window) and below.exposed is not None:
        return False
    if below.spec.extent is Extent.COUNT:
        return all(isinstance(each, exp.Column) for each in node.expressions)
    return not any(map(is_volatile, node.expressions))
