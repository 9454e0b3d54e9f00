"""Selections move towards the streams, so that what nobody wants is dropped first.

A predicate is taken apart at its ANDs, and each part goes as far down as its columns allow. Through a
window of time it may go, for that goes by age alone; not through a window of tuples, which would fill
up with others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from sqlglot import exp

from windrow.plan.emitting import Changes, ToStream
from windrow.plan.grouping import Accumulate, Distinct, GroupBy, Over
from windrow.plan.joins import Join, Matching, Negation, RelationHalfJoin, RelationJoin, SemiJoin
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import DistinctInstant, Node, Passed, Project, Select, Union
from windrow.plan.rules.conjunctions import anded, conjuncts
from windrow.plan.rules.substitution import (
    Definitions,
    by_position,
    columns,
    definitions,
    is_volatile,
    may_move,
    substitute,
)
from windrow.plan.windows import Append, Extent, OutputWindow, Window

ONE_VALUE = frozenset(
    [
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "HUGEINT",
        "VARCHAR",
        "BOOLEAN",
        "DATE",
        "TIMESTAMP",
        "UUID",
    ]
)
"""Types whose equal values are the same to every function."""

Pushed: TypeAlias = Node | None
"""A node over inputs that a predicate has gone into; None if it may go into none of them."""


def push_down_selection(node: Node) -> Node:
    """Each part of each selection as far down as it may go; selections that meet become one."""
    node = node.over(*map(push_down_selection, node.inputs))
    if not isinstance(node, Select):
        return node
    return selected(node.input, conjuncts(node.predicate))


def selected(node: Node, predicates: tuple[exp.Expr, ...]) -> Node:
    """A selection of a plan in which all others have sunk already."""
    staying: list[exp.Expr] = []
    for predicate in predicates:
        sunk = None if is_volatile(predicate) else _sunk(node, predicate)
        if sunk is None:
            staying.append(predicate)
        else:
            node = sunk
    if not staying:
        return node
    if isinstance(node, Select) and not is_volatile(node.predicate) and not any(map(is_volatile, staying)):
        # What was asked first stays first: it may guard the other against values that it fails on.
        return Select(node.input, anded(node.predicate, *staying))
    return Select(node, anded(*staying))


def _sunk(node: Node, predicate: exp.Expr) -> Pushed:
    """The node with the predicate below it."""
    passage = _PASSAGES.get(type(node))
    return passage(node, predicate) if passage else None


def _into(node: Node, predicate: exp.Expr, meaning: Definitions) -> Node:
    return selected(node, (substitute(predicate, meaning),))


def _through_selection(below: Select, predicate: exp.Expr) -> Pushed:
    sunk = None if is_volatile(below.predicate) else _sunk(below.input, predicate)
    return sunk and below.over(sunk)


def _through_projection(below: Project, predicate: exp.Expr) -> Pushed:
    meaning = definitions(below)
    return below.over(_into(below.input, predicate, meaning)) if may_move(predicate, meaning) else None


def _into_branches(below: Union | Intersect | Except, predicate: exp.Expr) -> Pushed:
    """Equal tuples are all chosen or none is, on whatever side."""
    names = below.schema.names
    return below.over(
        *(_into(each, predicate, by_position(names, each.schema.names)) for each in below.inputs)
    )


def _into_inputs(below: Node, predicate: exp.Expr) -> Pushed:
    """Into each input that has all its columns."""
    return _pushed(below, predicate, below.passes)


def _into_sides(below: Matching, predicate: exp.Expr) -> Pushed:
    """Into each side that has all its columns, or keys that are the same."""
    left, right = below.passes
    keys = [] if isinstance(below, Negation | RelationHalfJoin) and below.null_aware else _identical(below)
    equal_left = {of_right.lower(): of_left for of_left, of_right in keys if of_right.lower() in right}
    equal_right = {of_left.lower(): of_right for of_left, of_right in keys if of_left.lower() in left}
    return _pushed(below, predicate, ({**equal_left, **left}, {**equal_right, **right}))


def _identical(
    below: Matching,
) -> list[tuple[str, str]]:
    """The keys that are one value where they are equal; not so 0.0 and -0.0, or 30 days and a month."""
    types = {field.name.lower(): field.type for field in below.left.schema}
    return [pair for pair in below.keys if types[pair[0].lower()] in ONE_VALUE]


def _pushed(below: Node, predicate: exp.Expr, known: Iterable[Passed]) -> Pushed:
    """Into each input where all its columns are known."""
    inputs = [
        _into(each, predicate, _meaning(passed)) if columns(predicate) <= passed.keys() else None
        for each, passed in zip(below.inputs, known, strict=True)
    ]
    if not any(inputs):
        return None
    return below.over(*(new or old for new, old in zip(inputs, below.inputs, strict=True)))


def _meaning(passed: Passed) -> Definitions:
    return {name: exp.column(source, quoted=True) for name, source in passed.items()}


def _through_window(below: Window | OutputWindow, predicate: exp.Expr) -> Pushed:
    """A window of so many tuples of each value loses or keeps all tuples of a value."""
    spec = below.spec
    if spec.extent is Extent.TIME or (spec.slide is None and _is_of(predicate, spec.partition)):
        return _into_inputs(below, predicate)
    return None


def _into_partitions(below: Over, predicate: exp.Expr) -> Pushed:
    if below.frame.slide is None and _is_of(predicate, below.partition):
        return _into_inputs(below, predicate)
    return None


def _into_groups(below: GroupBy | Accumulate, predicate: exp.Expr) -> Pushed:
    """Without keys there is one group, even of no tuples."""
    return _into_inputs(below, predicate) if below.keys else None


def _into_stream(below: ToStream, predicate: exp.Expr) -> Pushed:
    """Rstream tells the whole answer whenever a part of it changes, so it has to see all of it."""
    return _into_inputs(below, predicate) if below.kind in ("Istream", "Dstream") else None


def _is_of(predicate: exp.Expr, names: tuple[str, ...]) -> bool:
    used = columns(predicate)
    return bool(used) and used <= {name.lower() for name in names}


_PASSAGES: Mapping[type[Node], Callable[[Any, exp.Expr], Pushed]] = {
    Accumulate: _into_groups,
    Append: _into_inputs,
    Changes: _into_inputs,
    Distinct: _into_inputs,
    DistinctInstant: _into_inputs,
    Except: _into_branches,
    GroupBy: _into_groups,
    Intersect: _into_branches,
    Join: _into_sides,
    Negation: _into_sides,
    OutputWindow: _through_window,
    Over: _into_partitions,
    Project: _through_projection,
    RelationHalfJoin: _into_sides,
    RelationJoin: _into_sides,
    Select: _through_selection,
    SemiJoin: _into_sides,
    ToStream: _into_stream,
    Union: _into_branches,
    Window: _through_window,
}
"""How a predicate gets below each kind of node; below those that are not here, it does not."""
