"""From a query's tree to a plan: names resolved, types known, and nothing left that has no meaning."""

from __future__ import annotations

from sqlglot import exp

from windrow.catalog import Catalog
from windrow.errors import ParseError, Refused
from windrow.language.context import Context
from windrow.language.ordering import check_order
from windrow.language.refusals import refuse_clauses
from windrow.language.selecting import bind_select
from windrow.language.statements import Query
from windrow.language.timestamps import timestamp_positions
from windrow.language.tokens import too_deep
from windrow.language.unions import Branch, merge
from windrow.plan.nodes import DistinctInstant, Node

__all__ = ["bind"]


def bind(query: Query, catalog: Catalog, *, allow_unbounded: bool = False) -> Node:
    """The plan of a query over what the catalog knows; raises StatementError.

    `allow_unbounded` lets it remember a stream for ever.
    """
    context = Context(query.source, query.span, catalog, _bound, allow_unbounded)
    try:
        return context.query(query.tree)
    except RecursionError:
        raise too_deep(query.span) from None


def _bound(tree: exp.Expr, context: Context) -> Node:
    refuse_clauses(tree, context.scope())
    if isinstance(tree, exp.Select):
        return bind_select(tree, context)
    if isinstance(tree, exp.Union):
        return _union(tree, context)
    if isinstance(tree, exp.Subquery):
        node = context.query(tree.this)
        _check_order(tree, node, context)
        return node
    raise _no_query(tree, context)


def _union(tree: exp.Union, context: Context) -> Node:
    """A chain of UNIONs, from the left. The last one without ALL covers all before it."""
    operations: list[exp.Union] = []
    left: exp.Expr = tree
    while isinstance(left, exp.Union):
        refuse_clauses(left, context.scope())
        operations.append(left)
        left = left.this
    operations.reverse()
    branches = [
        Branch(context.query(part), context.place(part))
        for part in (left, *(operation.expression for operation in operations))
    ]
    distinct = [place for place, operation in enumerate(operations, 1) if operation.args.get("distinct")]
    if distinct:
        covered = distinct[-1] + 1
        node = _distinct(merge(branches[:covered]), operations[distinct[-1] - 1], context)
        branches = [Branch(node, branches[0].span), *branches[covered:]]
    node = merge(branches) if len(branches) > 1 else branches[0].node
    _check_order(tree, node, context)
    return node


def _distinct(merged: Node, operation: exp.Union, context: Context) -> Node:
    if not timestamp_positions(merged):
        raise Refused(
            "UNION drops duplicates of one instant, so its queries must give timestamps at one place",
            context.place(operation.expression),
            hint="add the timestamp column to each at the same place, or write UNION ALL",
        )
    return DistinctInstant(merged)


def _check_order(tree: exp.Expr, node: Node, context: Context) -> None:
    if order := tree.args.get("order"):
        check_order(order, node, context.scope(), None)


def _no_query(tree: exp.Expr, context: Context) -> ParseError | Refused:
    for kind, name in ((exp.Except, "EXCEPT"), (exp.Intersect, "INTERSECT")):
        if isinstance(tree, kind):
            return Refused(
                f"{name} needs to know the end of its inputs, and a stream has none",
                context.place(tree.expression),
                hint="choose tuples with WHERE",
            )
    return Refused(
        "this query does not read a stream", context.place(tree), hint="write SELECT … FROM a stream"
    )
