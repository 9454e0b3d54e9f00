"""Aggregates of the user's own over windows give what DuckDB's own give over the live tuples."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from tests.aggregates.user_defined.playing import defined
from tests.operators.playing import CALLS, Call, History, check, histories, received
from tests.operators.test_group_by import oldest_first
from windrow.plan.grouping import GroupBy
from windrow.schema import Field, Schema

COLUMNS = Schema.of(("k", "INTEGER"), ("i", "INTEGER"), ("t", "BOOLEAN"))
ROWS = st.tuples(
    st.sampled_from([None, 1, 2]), st.sampled_from([None, -3, 0, 2]), st.sampled_from([None, True, False])
)

TOTAL = """
CREATE AGGREGATE total(x int) : bigint {
    TABLE t(n bigint);
    INITIALIZE: { INSERT INTO t VALUES (x) }
    ITERATE: { UPDATE t SET n = coalesce(n + x, n, x) }
    TERMINATE: { INSERT INTO RETURN SELECT n FROM t }
}"""
WINDOW_TOTAL = """
CREATE WINDOW AGGREGATE total(x int) : bigint {
    TABLE t(n bigint, c int);
    TABLE inwindow(w int);
    INITIALIZE: { INSERT INTO t VALUES (coalesce(x, 0), CASE WHEN x IS NULL THEN 0 ELSE 1 END) }
    ITERATE: { UPDATE t SET n = n + x, c = c + 1 WHERE x IS NOT NULL }
    EXPIRE: { UPDATE t SET n = n - oldest(), c = c - 1 WHERE oldest() IS NOT NULL }
    TERMINATE: { INSERT INTO RETURN SELECT CASE WHEN c > 0 THEN n END FROM t }
}"""
TALLY = """
CREATE AGGREGATE tally() : bigint {
    TABLE t(n bigint);
    INITIALIZE: { INSERT INTO t VALUES (1) }
    ITERATE: { UPDATE t SET n = n + 1 }
    TERMINATE: { INSERT INTO RETURN SELECT n FROM t }
}"""
ENDS = """
CREATE AGGREGATE ends(a int, b int) : (lo int, hi int) {
    TABLE t(x int, y int);
    INITIALIZE: ITERATE: { INSERT INTO t VALUES (a, b) }
    TERMINATE: { INSERT INTO RETURN SELECT min(x), max(y) FROM t }
}"""

SETS = {
    "total": (
        [(TOTAL, "total(i)"), (TOTAL, "total(i) FILTER (WHERE t)")],
        "SUM(i), SUM(i) FILTER (WHERE t)",
    ),
    "distinct": ([(TOTAL, "total(DISTINCT i)")], "SUM(DISTINCT i)"),
    "none": ([(TALLY, "tally()")], "NULLIF(COUNT(*), 0)"),
    "columns": ([(ENDS, "ends(i, i)")], "{'lo': MIN(i), 'hi': MAX(i)}"),
}


def node(history: History, keys: Sequence[str], calls: Sequence[tuple[str, str]], *windows: str) -> GroupBy:
    trees, names = [], []
    for place, (definition, text) in enumerate(calls):
        aggregate = defined(definition)
        tree: exp.Expr = exp.maybe_parse(text, dialect="duckdb")
        (tree.this if isinstance(tree, exp.Filter) else tree).meta["aggregate"] = (
            aggregate,
            *map(defined, windows),
        )
        trees.append(tree)
        names.append(Field(f"a{place}", aggregate.type))
    return GroupBy(received("S", COLUMNS, history.pattern), tuple(keys), tuple(trees), tuple(names))


@pytest.mark.parametrize("name", SETS)
@settings(deadline=None, max_examples=12)
@given(histories(COLUMNS, ROWS), CALLS, st.sampled_from([(), ("k",)]))
def test_results_are_those_over_the_live_tuples(
    name: str, history: History, cuts: Sequence[Call], keys: Sequence[str]
) -> None:
    calls, expected = SETS[name]
    grouping = f" GROUP BY {', '.join(keys)}" if keys else ""
    if "lo" in expected and not keys:
        expected = f"CASE WHEN COUNT(*) > 0 THEN {expected} END"
    sql = f"SELECT {', '.join([*keys, expected])} FROM l{grouping}"
    check(node(history, keys, calls), [oldest_first(history)], sql, cuts)


@settings(deadline=None, max_examples=25)
@given(histories(COLUMNS, ROWS), CALLS, st.sampled_from([(), ("k",)]))
def test_a_window_version_follows_tuples_that_end_in_order(
    history: History, cuts: Sequence[Call], keys: Sequence[str]
) -> None:
    calls, expected = SETS["total"]
    grouping = f" GROUP BY {', '.join(keys)}" if keys else ""
    sql = f"SELECT {', '.join([*keys, expected])} FROM l{grouping}"
    check(node(history, keys, calls, WINDOW_TOTAL), [oldest_first(history)], sql, cuts)
