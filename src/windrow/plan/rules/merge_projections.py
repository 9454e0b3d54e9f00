"""Projections that follow each other become one; those that change nothing go."""

from __future__ import annotations

from sqlglot import exp

from windrow.plan.nodes import Node, Project
from windrow.plan.rules.substitution import definitions, may_move, substitute


def merge_projections(node: Node) -> Node:
    """At most one projection between two other nodes."""
    node = node.over(*map(merge_projections, node.inputs))
    if not isinstance(node, Project):
        return node
    if isinstance(node.input, Project):
        node = _merged(node, node.input)
    return node.input if _changes_nothing(node) else node


def _merged(node: Project, below: Project) -> Project:
    meaning = definitions(below)
    if not all(may_move(each, meaning) for each in node.expressions):
        return node
    expressions = tuple(substitute(each, meaning) for each in node.expressions)
    return Project(below.input, expressions, node.output)


def _changes_nothing(node: Project) -> bool:
    named = tuple(each.name if isinstance(each, exp.Column) else None for each in node.expressions)
    return node.output == node.input.schema and named == node.output.names
