"""An outer join whose lonely tuples a selection drops again is none: so no result is taken back, which
spares the steps above it negative tuples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias

from sqlglot import exp

from windrow.plan.joins import Join, RelationJoin
from windrow.plan.nodes import Node, Select
from windrow.plan.rules.conjunctions import conjuncts
from windrow.schema import Schema

Kind: TypeAlias = Literal["inner", "left", "right", "full"]

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_OF_ONE = (exp.Like, exp.ILike, exp.Between, exp.In)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Neg, exp.Paren)

_KINDS: Mapping[tuple[bool, bool], Kind] = {
    (True, True): "full",
    (True, False): "left",
    (False, True): "right",
    (False, False): "inner",
}
"""By whether lonely tuples of the left and of the right side are given."""


def narrow_outer_joins(node: Node) -> Node:
    """Each outer join as inner as the selection above it allows."""
    node = node.over(*map(narrow_outer_joins, node.inputs))
    if isinstance(node, Select) and isinstance(node.input, Join | RelationJoin):
        return node.over(_narrowed(node.input, conjuncts(node.predicate)))
    return node


def _narrowed(join: Join | RelationJoin, predicates: tuple[exp.Expr, ...]) -> Node:
    lonely_left = join.kind in ("left", "full") and not _refuse_null(predicates, join.right.schema)
    lonely_right = join.kind in ("right", "full") and not _refuse_null(predicates, join.left.schema)
    kind = _KINDS[lonely_left, lonely_right]
    if isinstance(join, Join):
        return replace(join, kind=kind)
    return join if lonely_left else replace(join, kind="inner")


def _refuse_null(predicates: tuple[exp.Expr, ...], schema: Schema) -> bool:
    """Whether one of the predicates is not true where all these columns are NULL."""
    names = frozenset(name.lower() for name in schema.names)
    return any(_refuses(each.unnest(), names) for each in predicates)


def _refuses(predicate: exp.Expr, names: frozenset[str]) -> bool:
    if isinstance(predicate, _COMPARISONS):
        return _is_null(predicate.left, names) or _is_null(predicate.right, names)
    if isinstance(predicate, exp.Not) and isinstance(inner := predicate.this.unnest(), exp.Is):
        return isinstance(inner.expression, exp.Null) and _is_null(inner.this, names)
    return isinstance(predicate, _OF_ONE) and _is_null(predicate.this, names)


def _is_null(expression: exp.Expr, names: frozenset[str]) -> bool:
    """Whether an expression is NULL because columns are."""
    if isinstance(expression, exp.Column):
        return expression.name.lower() in names
    return isinstance(expression, _ARITHMETIC) and any(
        _is_null(each, names) for each in expression.args.values() if isinstance(each, exp.Expr)
    )
