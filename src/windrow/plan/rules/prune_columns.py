"""Columns that nobody needs are not read, computed or carried. A timestamp travels beside the columns:
it needs none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from sqlglot import exp

from windrow.plan.emitting import InOrder
from windrow.plan.grouping import Accumulate, GroupBy, Over, TopK
from windrow.plan.joins import (
    Join,
    Matching,
    Negation,
    RelationHalfJoin,
    RelationJoin,
    RelationScan,
    SemiJoin,
)
from windrow.plan.nodes import Node, Project, Scan, Select, Union
from windrow.plan.rules.substitution import columns
from windrow.plan.windows import Append, OutputWindow, Window
from windrow.schema import Field, Schema

Names = frozenset[str]
"""Columns, in small letters."""


def prune_columns(node: Node) -> Node:
    """Every step gives only what is used above it, and at least one column."""
    return _pruned(node, _names(node.schema))


def _pruned(node: Node, needed: Names) -> Node:
    """The plan with at least the columns needed, in their order."""
    prune = _PRUNE.get(type(node))
    if prune:
        return prune(node, needed)
    # What tells tuples apart by all their columns needs them all.
    return node.over(*(_pruned(each, _names(each.schema)) for each in node.inputs))


def _scan(node: Scan | RelationScan, needed: Names) -> Node:
    columns_ = _kept(node.schema, needed).names
    return node if columns_ == node.columns else replace(node, columns=columns_)


def _selection(node: Select, needed: Names) -> Node:
    return node.over(_pruned(node.input, needed | columns(node.predicate)))


def _projection(node: Project, needed: Names) -> Node:
    output = _kept(node.output, needed)
    if output == node.output:
        return node.over(_pruned(node.input, columns(*node.expressions)))
    pairs = zip(node.expressions, node.output, strict=True)
    expressions = tuple(each for each, field in pairs if field in output.fields)
    return Project(_pruned(node.input, columns(*expressions)), expressions, output)


def _union(node: Union, needed: Names) -> Node:
    """Branches keep the same places, whatever they are called there."""
    output = _kept(node.schema, needed)
    places = [node.schema.names.index(name) for name in output.names]
    return node.over(*(_only(branch, places) for branch in node.branches))


def _window(node: Window | OutputWindow, needed: Names) -> Node:
    return node.over(_pruned(node.input, needed | _lower(node.spec.partition)))


def _append(node: Append, needed: Names) -> Node:
    return node.over(_pruned(node.input, needed | _lower(node.lifetimes)))


def _groups(node: GroupBy, needed: Names) -> Node:
    """A group is there whatever is asked of it; but without keys something has to be asked."""
    places = _places(node.names, needed)
    if not places and not node.keys:
        places = [0]
    calls = tuple(node.aggregates[place] for place in places)
    input_ = _pruned(node.input, _lower(node.keys) | columns(*calls))
    return replace(node, input=input_, aggregates=calls, names=tuple(node.names[place] for place in places))


def _accumulation(node: Accumulate, _: Names) -> Node:
    """Its aggregates say themselves when they give a result, so all of them are asked."""
    return node.over(_pruned(node.input, _lower(node.keys) | columns(*node.aggregates)))


def _over(node: Over, needed: Names) -> Node:
    """Where each tuple gives a result, that is the tuple, whatever is asked of its frame."""
    places = list(range(len(node.names))) if node.own else _places(node.names, needed)
    if not places and node.frame.slide is None and not node.frame.active:
        return _pruned(node.input, needed)
    places = places or [0]
    calls = tuple(node.calls[place] for place in places)
    passed = needed & _names(node.input.schema)
    input_ = _pruned(node.input, passed | _lower(node.partition) | columns(*calls))
    return replace(node, input=input_, calls=calls, names=tuple(node.names[place] for place in places))


def _sorted(node: TopK | InOrder, needed: Names) -> Node:
    return node.over(_pruned(node.input, needed | columns(*node.order)))


def _joined(node: Matching, needed: Names) -> Node:
    """Beyond what is needed above, each side gives its keys and what the condition asks for."""
    asked = needed if node.condition is None else needed | columns(node.condition)
    sides = zip(node.inputs, zip(*node.keys, strict=True) if node.keys else ((), ()), strict=True)
    return node.over(*(_pruned(side, asked & _names(side.schema) | _lower(keys)) for side, keys in sides))


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


def _places(fields: Sequence[Field], needed: Names) -> list[int]:
    return [place for place, field in enumerate(fields) if field.name.lower() in needed]


def _names(schema: Schema) -> Names:
    return _lower(schema.names)


def _lower(names: Iterable[str]) -> Names:
    return frozenset(name.lower() for name in names)


_PRUNE: Mapping[type[Node], Callable[[Any, Names], Node]] = {
    Accumulate: _accumulation,
    Append: _append,
    GroupBy: _groups,
    InOrder: _sorted,
    Join: _joined,
    Negation: _joined,
    OutputWindow: _window,
    Over: _over,
    Project: _projection,
    RelationHalfJoin: _joined,
    RelationJoin: _joined,
    RelationScan: _scan,
    Scan: _scan,
    Select: _selection,
    SemiJoin: _joined,
    TopK: _sorted,
    Union: _union,
    Window: _window,
}
"""How each kind of node does with fewer columns; those that are not here need all of them."""
