"""From a query's tree to a plan: names resolved, types known, and nothing left that has no meaning."""

from __future__ import annotations

from sqlglot import exp

from windrow.catalog import Catalog
from windrow.errors import Refused
from windrow.language.context import Context, NotIncremental
from windrow.language.named_queries import with_named
from windrow.language.ordering import ordered_whole
from windrow.language.reevaluation import reevaluated
from windrow.language.refusals import refuse_clauses
from windrow.language.scalars import NotScalar
from windrow.language.selecting import bind_select
from windrow.language.set_operations import bind_set_operation
from windrow.language.sources import check_steps
from windrow.language.statements import Query
from windrow.language.tokens import too_deep
from windrow.plan.nodes import Node, depth

__all__ = ["bind"]

DEEPEST = 100
"""Steps of a plan on one way from a stream to the answer: what works on plans goes down with them."""


def bind(query: Query, catalog: Catalog, *, allow_unbounded: bool = False) -> Node:
    """The plan of a query over what the catalog knows; raises StatementError.

    `allow_unbounded` lets it remember a stream for ever.
    """
    context = Context(query.source, query.span, catalog, _bound, allow_unbounded)
    try:
        plan = context.query(query.tree)
    except NotScalar as refusal:
        raise Refused(refusal.message, refusal.span, hint=refusal.hint) from None
    except RecursionError:
        raise too_deep(query.span) from None
    if depth(plan) > DEEPEST:
        raise Refused(
            "the query takes too many steps, one above the other",
            query.span,
            hint=f"a plan may be {DEEPEST} steps deep",
        )
    return plan


def _bound(tree: exp.Expr, context: Context) -> Node:
    node = _planned(tree, with_named(tree, context))
    check_steps([node], tree, context)
    return node


def _planned(tree: exp.Expr, context: Context) -> Node:
    if isinstance(tree, exp.Select):
        return bind_select(tree, context)
    try:
        refuse_clauses(tree, context.scope())
        if isinstance(tree, exp.SetOperation):
            return ordered_whole(tree, bind_set_operation(tree, context), context)
        if isinstance(tree, exp.Subquery):
            return ordered_whole(tree, context.query(tree.this), context)
    except NotIncremental as reason:
        return reevaluated(tree, context, str(reason))
    raise _no_query(tree, context)


def _no_query(tree: exp.Expr, context: Context) -> Refused:
    return Refused(
        "this query does not read a stream", context.place(tree), hint="write SELECT … FROM a stream"
    )
