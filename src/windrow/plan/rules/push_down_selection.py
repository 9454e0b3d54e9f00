"""Selections move towards the streams, so that what nobody wants is dropped first."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from windrow.plan.nodes import DistinctInstant, Node, Project, Select, Union
from windrow.plan.rules.substitution import by_position, definitions, is_volatile, may_move, substitute


def push_down_selection(node: Node) -> Node:
    """Each selection through projections, unions and DISTINCT; two that meet become one."""
    node = node.over(*map(push_down_selection, node.inputs))
    return _sunk(node) if isinstance(node, Select) else node


def _sunk(node: Select) -> Node:
    """A selection over a plan in which all others have sunk already."""
    below = node.input
    if is_volatile(node.predicate):
        return node
    if isinstance(below, Select) and not is_volatile(below.predicate):
        # What was asked first stays first: it may guard the other against values that it fails on.
        return _sunk(Select(below.input, exp.and_(below.predicate, node.predicate)))
    if isinstance(below, Project):
        return _through_projection(node, below)
    if isinstance(below, Union):
        branches = (_into_branch(node, branch) for branch in below.branches)
        return below.over(*branches)
    if isinstance(below, DistinctInstant):
        return below.over(_sunk(replace(node, input=below.input)))
    return node


def _through_projection(node: Select, below: Project) -> Node:
    meaning = definitions(below)
    if not may_move(node.predicate, meaning):
        return node
    return below.over(_sunk(Select(below.input, substitute(node.predicate, meaning))))


def _into_branch(node: Select, branch: Node) -> Node:
    meaning = by_position(node.schema.names, branch.schema.names)
    return _sunk(Select(branch, substitute(node.predicate, meaning)))
