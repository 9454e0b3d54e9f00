"""The oracle is DuckDB over the tuples that are live at each instant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, check, histories, play, received
from tests.plan.samples import sql
from windrow.delta import BEGINNING
from windrow.expressions.typing import type_of
from windrow.operators.netting import netted
from windrow.operators.registry import operator_for
from windrow.plan.grouping import GroupBy
from windrow.plan.nodes import sql_of
from windrow.plan.patterns import Pattern
from windrow.schema import Field, Schema

COLUMNS = Schema.of(("k", "INTEGER"), ("s", "VARCHAR"), ("i", "INTEGER"), ("x", "DOUBLE"), ("t", "BOOLEAN"))
ROWS = st.tuples(
    st.sampled_from([None, 1, 1, 2]),
    st.sampled_from([None, "", "a", "b"]),
    st.sampled_from([None, -3, 0, 2, 2_000_000_000]),
    st.sampled_from([None, -0.5, 0.25, 3.0, math.nan, math.inf]),
    st.sampled_from([None, True, False]),
)
NUMBERS = Schema.of(
    ("k", "INTEGER"),
    ("b", "BIGINT"),
    ("h", "HUGEINT"),
    ("u", "UBIGINT"),
    ("d", "DECIMAL(9,2)"),
    ("w", "DECIMAL(30,4)"),
    ("f", "FLOAT"),
    ("y", "UTINYINT"),
)
NUMBER_ROWS = st.tuples(
    st.sampled_from([None, 1, 2]),
    st.sampled_from([None, -(2**63), 2**63 - 1, 2**53 + 1, 7]),
    st.sampled_from([None, -(2**100), 2**90 + 1, -1]).map(lambda n: None if n is None else Decimal(n)),
    st.sampled_from([None, 0, 2**64 - 1, 5]),
    st.sampled_from([None, Decimal("-9999999.99"), Decimal("0.01"), Decimal("12.30")]),
    st.sampled_from([None, Decimal("-99999999999999999999999999.9999"), Decimal("0.0001")]),
    st.sampled_from([None, 0.5, -1.25, 1e30]),
    st.sampled_from([None, 0, 255]),
)

SETS = [
    (
        "COUNT(*)",
        "COUNT(i)",
        "COUNT(s)",
        "COUNT(*) FILTER (WHERE t)",
        "COUNT(s) FILTER (WHERE t)",
        "COUNT(1)",
    ),
    ("FIRST(i)", "LAST(s)", "ANY_VALUE(i)", "LAST(i) FILTER (WHERE t)", "ANY_VALUE(s) FILTER (WHERE t)"),
    ("SUM(i)", "AVG(i)", "SUM(i) FILTER (WHERE t)", "AVG(x) FILTER (WHERE t)", "SUM(t)", "COUNT_IF(t)"),
    ("SUM(x)", "AVG(x)", "BOOL_AND(t)", "BOOL_OR(t)", "SUM(i * 0)"),
    (
        "ARRAY_AGG(i)",
        "STRING_AGG(s, '-')",
        "LIST(DISTINCT s ORDER BY s DESC)",
        "STRING_AGG(s ORDER BY i, s)",
    ),
    ("MEDIAN(i)", "QUANTILE_CONT(x, 0.3) FILTER (WHERE t)", "QUANTILE_DISC(i, 0.3)", "MEDIAN(x)"),
    ("BIT_XOR(i)", "ENTROPY(s)", "COUNT(DISTINCT i + 0)", "SUM(x) FILTER (WHERE i > 0)", "COUNT(*)"),
    (
        "MIN(i)",
        "MAX(i)",
        "MAX(x)",
        "MIN(x) FILTER (WHERE t)",
        "MIN(t)",
        "MAX(s)",
        "COUNT(DISTINCT i)",
        "COUNT(DISTINCT s) FILTER (WHERE t)",
        "SUM(DISTINCT i)",
        "AVG(DISTINCT x)",
    ),
    (),
]


def node(pattern: Pattern, keys: Sequence[str], calls: Sequence[str], schema: Schema = COLUMNS) -> GroupBy:
    """A node whose calls have the types that DuckDB gives them."""
    trees = tuple(map(sql, calls))
    names = tuple(Field(f"a{place}", type_of(tree, schema)) for place, tree in enumerate(trees))
    return GroupBy(received("S", schema, pattern), tuple(keys), trees, names)


def query(of: GroupBy) -> str:
    """The same in SQL."""
    columns = ", ".join([*of.keys, *map(sql_of, of.aggregates)])
    return f"SELECT {columns} FROM l" + (f" GROUP BY {', '.join(of.keys)}" if of.keys else "")


def oldest_first(history: History) -> History:
    """Of equal rows the oldest ends first, as negative tuples have it."""
    ends: dict[object, list[int]] = {}
    for each in history.lifetimes:
        ends.setdefault(repr(each.row), []).append(each.end)
    for lived in ends.values():
        lived.sort(reverse=True)
    return replace(
        history,
        lifetimes=tuple(replace(each, end=ends[repr(each.row)].pop()) for each in history.lifetimes),
    )


@pytest.mark.parametrize("calls", SETS, ids=lambda calls: ", ".join(calls) or "keys alone")
@settings(deadline=None, max_examples=40)
@given(histories(COLUMNS, ROWS), CALLS, st.sampled_from([(), ("k",), ("s", "k"), ("x",)]))
def test_results_are_those_of_sql_over_the_live_tuples(
    calls: Sequence[str], history: History, cuts: Sequence[Call], keys: Sequence[str]
) -> None:
    if not calls and not keys:
        return
    grouped = node(history.pattern, keys, calls)
    check(grouped, [oldest_first(history)], query(grouped), cuts)


@settings(deadline=None, max_examples=40)
@given(histories(COLUMNS, ROWS), CALLS)
def test_without_keys_there_is_a_result_from_the_beginning_however_the_calls_are_cut(
    history: History, cuts: Sequence[Call]
) -> None:
    grouped = node(history.pattern, (), ["COUNT(*)", "SUM(i)"])
    at_once, bit_by_bit = (
        netted(play(lambda: operator_for(grouped), [history], calls), grouped.schema)
        for calls in ([], cuts)
    )
    assert at_once.to_table().slice(0, 1).to_pylist() == [
        {"a0": 0, "a1": None, "__ts": BEGINNING, "__sign": 1}
    ]
    assert bit_by_bit.to_table() == at_once.to_table()


@settings(deadline=None, max_examples=100)
@given(histories(NUMBERS, NUMBER_ROWS), CALLS, st.sampled_from([(), ("k",)]))
def test_numbers_of_all_kinds_are_added_and_compared_without_loss(
    history: History, cuts: Sequence[Call], keys: Sequence[str]
) -> None:
    calls = [f"{name}({column})" for name in ("SUM", "AVG", "MIN", "MAX") for column in NUMBERS.names[1:]]
    grouped = node(history.pattern, keys, calls, NUMBERS)
    check(grouped, [history], query(grouped), cuts)
