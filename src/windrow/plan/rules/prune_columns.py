"""Columns that nobody needs are not read. A timestamp travels beside the columns: it needs none."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
from sqlglot import exp

from windrow.plan.nodes import Node, Project, Scan, Select, Union
from windrow.plan.rules.substitution import columns
from windrow.schema import Schema

Names = frozenset[str]
"""Columns, in small letters."""


def prune_columns(node: Node) -> Node:
    """Every scan and projection gives only what is used above it, and at least one column."""
    return _pruned(node, _names(node.schema))


def _pruned(node: Node, needed: Names) -> Node:
    """The plan with at least the columns needed, in their order."""
    if isinstance(node, Scan):
        return replace(node, columns=_kept(node.schema, needed).names)
    if isinstance(node, Select):
        return node.over(_pruned(node.input, needed | columns(node.predicate)))
    if isinstance(node, Project):
        return _pruned_projection(node, needed)
    if isinstance(node, Union):
        return _pruned_union(node, needed)
    return node.over(*(_pruned(each, _names(each.schema)) for each in node.inputs))


def _pruned_projection(node: Project, needed: Names) -> Node:
    output = _kept(node.output, needed)
    pairs = zip(node.expressions, node.output, strict=True)
    expressions = tuple(each for each, field in pairs if field in output.fields)
    return Project(_pruned(node.input, columns(*expressions)), expressions, output)


def _pruned_union(node: Union, needed: Names) -> Node:
    """Branches keep the same places, whatever they are called there."""
    output = _kept(node.schema, needed)
    places = [node.schema.names.index(name) for name in output.names]
    return node.over(*(_only(branch, places) for branch in node.branches))


def _only(node: Node, places: list[int]) -> Node:
    wanted = Schema(tuple(node.schema.fields[place] for place in places))
    pruned = _pruned(node, _names(wanted))
    if pruned.schema == wanted:
        return pruned
    return Project(pruned, tuple(exp.column(name, quoted=True) for name in wanted.names), wanted)


def _kept(schema: Schema, needed: Names) -> Schema:
    """The columns needed; if there are none, one that is cheap to carry, for rows need a column."""
    if not needed:
        return schema.keep(
            [min(schema, key=lambda field: not pa.types.is_primitive(field.arrow.type)).name]
        )
    return schema.keep(needed)


def _names(schema: Schema) -> Names:
    return frozenset(name.lower() for name in schema.names)
