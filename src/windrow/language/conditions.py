"""Conditions taken apart: what has to hold of one input, what joins two, and by which keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from windrow.language.tokens import DIALECT
from windrow.language.types import Placing, common_type, type_scalars
from windrow.plan.nodes import Node, Project
from windrow.schema import Field, Schema


def conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    """What a condition demands, one by one, in the order written."""
    parts, stack = [], [condition]
    while stack:
        part = stack.pop()
        inner = part
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if isinstance(inner, exp.And):
            stack += [inner.expression, inner.this]
        else:
            parts.append(part)
    return parts


def conjunction(parts: Sequence[exp.Expr]) -> exp.Expr | None:
    """All of them in one; None if there are none."""
    if not parts:
        return None
    whole, *more = parts
    for part in more:
        whole = exp.And(this=_operand(whole), expression=_operand(part))
    return whole


def columns_of(expression: exp.Expr) -> frozenset[str]:
    """The columns that a resolved expression names."""
    return frozenset(column.name for column in expression.find_all(exp.Column))


@dataclass(frozen=True)
class Equality:
    """left = right, each over the columns of one input."""

    left: exp.Expr
    right: exp.Expr


def equality(condition: exp.Expr, left: Iterable[str], right: Iterable[str]) -> Equality | None:
    """A condition as an equality between columns of two inputs, if it is one."""
    while isinstance(condition, exp.Paren):
        condition = condition.this
    if not isinstance(condition, exp.EQ):
        return None
    sides = condition.this, condition.expression
    named = [columns_of(side) for side in sides]
    if not all(named):
        return None
    left, right = frozenset(left), frozenset(right)
    if named[0] <= left and named[1] <= right:
        return Equality(*sides)
    if named[1] <= left and named[0] <= right:
        return Equality(sides[1], sides[0])
    return None


def key_type(sides: Equality, left: Schema, right: Schema, place: Placing) -> str | None:
    """The type as which both sides of an equality are compared; None if that takes more than a cast."""
    (one,) = type_scalars([sides.left], left, place)
    (other,) = type_scalars([sides.right], right, place)
    if one.type == other.type:
        return one.type
    if "VARCHAR" in (one.type, other.type):
        return None
    return common_type((one.type, other.type))


def as_type(expression: exp.Expr, type_: str, schema: Schema, place: Placing) -> exp.Expr:
    """The expression, with a cast if it does not have the type by itself."""
    (field,) = type_scalars([expression], schema, place)
    if field.type == type_:
        return expression
    return exp.Cast(this=expression, to=exp.DataType.build(type_, dialect=DIALECT))


def with_columns(node: Node, added: Sequence[tuple[exp.Expr, Field]]) -> Node:
    """A node's columns and some that are computed from them."""
    if not added:
        return node
    expressions = [exp.column(name, quoted=True) for name in node.schema.names]
    output = Schema((*node.schema, *(field for _, field in added)))
    return Project(node, (*expressions, *(expression for expression, _ in added)), output)


def only_columns(node: Node, names: Sequence[str]) -> Node:
    """Some of a node's columns, in the order of the names."""
    if tuple(names) == node.schema.names:
        return node
    fields = {field.name: field for field in node.schema}
    output = Schema(tuple(fields[name] for name in names))
    return Project(node, tuple(exp.column(name, quoted=True) for name in names), output)


def _operand(part: exp.Expr) -> exp.Expr:
    return exp.Paren(this=part) if isinstance(part, exp.Or) else part
