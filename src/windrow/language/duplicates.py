"""DISTINCT, and UNION without ALL: which tuples are duplicates, and for how long that has to be known."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from windrow.errors import Refused, Span
from windrow.language.bounds import endless_by_request, grows
from windrow.language.context import Context, NotIncremental
from windrow.language.spans import keyword_span
from windrow.language.timestamps import timestamp_positions
from windrow.language.unions import Branch, merge
from windrow.plan.grouping import Distinct
from windrow.plan.nodes import DistinctInstant, Node, origins
from windrow.plan.patterns import Pattern


def without_duplicates(node: Node, select: exp.Select, internal: bool, context: Context) -> Node:
    """The results of a SELECT, if it has DISTINCT one of each."""
    distinct = select.args.get("distinct")
    if distinct is None:
        return node
    if distinct.args.get("on"):
        raise NotIncremental("DISTINCT ON")
    span = keyword_span(select.expressions[0], context.source, context.place(select), "DISTINCT")
    if internal:
        raise Refused(
            "results of an INTERNAL window never end, so there would be duplicates in spite of DISTINCT",
            span,
            hint="leave INTERNAL or DISTINCT out",
        )
    if _has_instants(node):
        return DistinctInstant(node)
    check_ends(node, span, "DISTINCT would remember all results of {} for ever", context)
    return Distinct(node)


def union_distinct(branches: Sequence[Branch], last: Span, context: Context) -> Node:
    """One of each of the results of some queries. Of streams duplicates are those of one instant."""
    merged = merge(branches, "UNION")
    if _has_instants(merged):
        return DistinctInstant(merged)
    if merged.pattern is Pattern.MON and not context.allow_unbounded:
        raise Refused(
            "UNION drops duplicates of one instant, so its queries must give timestamps at one place",
            last,
            hint="add the timestamp column to each at the same place, or write UNION ALL",
        )
    for branch in branches:
        check_ends(branch.node, branch.span, "UNION would remember all results of {} for ever", context)
    return Distinct(merged)


def check_ends(node: Node, span: Span, sentence: str, context: Context) -> None:
    """Refuse what would have to be remembered for ever; the sentence says so of a stream."""
    if context.allow_unbounded or not grows(node):
        return
    name = origins(node)[0]
    window = "choose a window that ends, as" if endless_by_request(node) else f"give it a window, as {name}"
    raise Refused(
        sentence.format(name), span, hint=f"{window} [RANGE 10 MINUTES], or SET allow_unbounded = true"
    )


def _has_instants(node: Node) -> bool:
    """Whether equal results are always of one instant, and never end."""
    return node.pattern is Pattern.MON and bool(timestamp_positions(node))
