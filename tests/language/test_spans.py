"""The span of a node is the whole of what was written for it."""

from __future__ import annotations

import pytest
from sqlglot import exp

from windrow.language.parser import parse_query
from windrow.language.spans import span_of


@pytest.mark.parametrize(
    "item",
    [
        "price",
        '"price"',
        "b.price",
        "price + 1",
        "(price + 1) * 2",
        "2 * (price + 1)",
        "lower(x)",
        "uuid()",
        "max(price)",
        "CAST(price AS int)",
        "TRY_CAST(price AS int)",
        "f(g(price), [1, 2])",
        "coalesce(a, b)",
        "lower((a || b))",
        "extract(hour FROM t)",
        "a IN (1, 2)",
        "f(a::int)",
    ],
)
def test_spans(item: str) -> None:
    query = parse_query(f"SELECT 1,\n  {item} FROM s")
    span = span_of(query.tree.expressions[1], query.source, query.span)
    assert span.line == 2
    assert span.text[span.column - 1 : span.column - 1 + span.length] == item


def test_a_cast_inside_a_call_is_not_the_call() -> None:
    query = parse_query("SELECT f(a::int) FROM s")
    cast = query.tree.find(exp.Cast)
    assert cast is not None
    assert span_of(cast, query.source, query.span).column == 10


def test_a_query_begins_with_its_select() -> None:
    query = parse_query("SELECT a FROM (SELECT b FROM s)")
    inner = query.tree.find(exp.Subquery)
    assert inner is not None
    span = span_of(inner, query.source, query.span)
    assert (span.column, span.length) == (16, len("SELECT b FROM s"))


def test_what_left_no_trace_has_the_span_of_what_is_around_it() -> None:
    query = parse_query("SELECT lower(NULL) FROM s")
    null = query.tree.find(exp.Null)
    assert null is not None
    assert span_of(null, query.source, query.span).column == 8
