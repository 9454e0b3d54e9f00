"""Columns that a step needs are carried to where it has moved, and dropped again above it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from windrow.expressions.typing import type_of
from windrow.plan.joins import Negation, SemiJoin
from windrow.plan.nodes import Node, Project
from windrow.plan.rules.substitution import Definitions, columns, definitions
from windrow.schema import Field, Schema

HalfJoin = Negation | SemiJoin


def under(node: Node) -> tuple[Node, Definitions]:
    """What is under a projection, if there is one, and what the columns of the node are there."""
    if isinstance(node, Project):
        return node.input, definitions(node)
    return node, {name.lower(): exp.column(name, quoted=True) for name in node.schema.names}


def above(node: Node, lower: Node) -> Node:
    """The projection that a node is, if it is one, above another plan with the same columns."""
    return node.over(lower) if isinstance(node, Project) else lower


def carrying(node: Node, wanted: Sequence[exp.Expr], taken: Iterable[str]) -> tuple[Node, tuple[str, ...]]:
    """A node with columns of these values, and their names; new ones have names that nothing has yet."""
    names: list[str] = []
    added: list[tuple[exp.Expr, Field]] = []
    avoided = {name.lower() for name in (*taken, *node.schema.names)}
    for each in wanted:
        if isinstance(each, exp.Column):
            names.append(each.name)
            continue
        name = next(name for number in range(len(avoided) + 1) if (name := f"key{number}") not in avoided)
        avoided.add(name)
        names.append(name)
        added.append((each, Field(name, type_of(each, node.schema))))
    return _with(node, added), tuple(names)


def only(node: Node, schema: Schema) -> Node:
    """The columns of a schema alone, in its order."""
    if node.schema == schema:
        return node
    return Project(node, tuple(exp.column(name, quoted=True) for name in schema.names), schema)


def apart(*nodes: Node) -> bool:
    """Whether no two of these have a column's name in common."""
    names = [name.lower() for node in nodes for name in node.schema.names]
    return len(set(names)) == len(names)


def asked(half: HalfJoin) -> frozenset[str]:
    """The columns of its left input that a half join looks at."""
    known = {name.lower() for name in half.left.schema.names}
    beyond = frozenset() if half.condition is None else columns(half.condition) & known
    return beyond | {left.lower() for left, _ in half.keys}


def _with(node: Node, added: Sequence[tuple[exp.Expr, Field]]) -> Node:
    if not added:
        return node
    own = tuple(exp.column(name, quoted=True) for name in node.schema.names)
    expressions, fields = zip(*added, strict=True)
    return Project(node, (*own, *expressions), Schema((*node.schema, *fields)))
