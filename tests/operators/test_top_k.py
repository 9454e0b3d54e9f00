"""The oracle is DuckDB's ORDER BY … LIMIT over the tuples that are live at each instant.

Wherever the keys of an order leave ties, the other columns decide, so the oracle sorts by all of them.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, Lifetime, check, histories, play, received
from tests.operators.streams import contents
from tests.plan.samples import sql
from windrow.delta import Delta
from windrow.operators.registry import operator_for
from windrow.plan.grouping import TopK
from windrow.plan.nodes import sql_of
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

COLUMNS = Schema.of(("k", "INTEGER"), ("s", "VARCHAR"), ("x", "DOUBLE"))
ROWS = st.tuples(
    st.sampled_from([None, 1, 1, 2, -(2**31)]),
    st.sampled_from([None, "", "a", "a\0", "aaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaab", "é"]),
    st.sampled_from([None, -0.5, 0.0, 3.0, math.nan, math.inf]),
)
ORDERS = ["k", "k DESC", "s NULLS FIRST", "x DESC NULLS FIRST", "x ASC", "k + 1 DESC", "s DESC NULLS LAST"]


def node(pattern: Pattern, order: Sequence[str], limit: int | None, offset: int, schema: Schema) -> TopK:
    select = sql(f"SELECT 1 ORDER BY {', '.join(order)}") if order else None
    keys = tuple(select.args["order"].expressions) if select is not None else ()
    return TopK(received("S", schema, pattern), keys, limit, offset)


def query(of: TopK) -> str:
    keys = [*(sql_of(each) for each in of.order), *of.schema.names]
    limit = "" if of.limit is None else f" LIMIT {of.limit}"
    return f"SELECT * FROM l ORDER BY {', '.join(keys)}{limit} OFFSET {of.offset}"


@settings(max_examples=150, deadline=None)
@given(
    histories(COLUMNS, ROWS, size=14),
    st.lists(st.sampled_from(ORDERS), max_size=2),
    st.sampled_from([0, 1, 2, 3, 3, 100, None]),
    st.sampled_from([0, 0, 0, 1, 2]),
    CALLS,
)
def test_it_is_what_sql_says(
    history: History, order: list[str], limit: int | None, offset: int, calls: list[Call]
) -> None:
    top = node(history.pattern, order, limit, offset, COLUMNS)
    check(top, [history], query(top), calls)


SMALL = Schema.of(
    ("k", "INTEGER"), ("x", "DOUBLE"), ("f", "FLOAT"), ("t", "BOOLEAN"), ("e", "DATE"), ("y", "UTINYINT")
)
OF_SMALL = st.tuples(
    st.sampled_from([None, 1, -(2**31), 2**31 - 1]),
    st.sampled_from([None, -0.0, 0.0, 3.0, -1e300, math.nan, math.inf, -math.inf]),
    st.sampled_from([None, 0.5, -math.inf, math.nan]),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, datetime.date(2026, 1, 1), datetime.date(1900, 1, 1)]),
    st.sampled_from([None, 0, 255]),
)
SMALL_ORDERS = [f"{name}{way}" for name in SMALL.names for way in (" DESC", "", " NULLS FIRST")]


@settings(max_examples=60, deadline=None)
@given(
    histories(SMALL, OF_SMALL, size=14),
    st.lists(st.sampled_from(SMALL_ORDERS), min_size=1, max_size=3),
    st.sampled_from([1, 2, 3, 100]),
    CALLS,
)
def test_small_numbers_are_sorted_as_duckdb_does(
    history: History, order: list[str], limit: int, calls: list[Call]
) -> None:
    top = node(history.pattern, order, limit, 0, SMALL)
    check(top, [history], query(top), calls)


TYPES = Schema.of(
    ("d", "DECIMAL(20,3)"),
    ("h", "HUGEINT"),
    ("t", "TIMESTAMP"),
    ("l", "INTEGER[]"),
    ("r", "STRUCT(a INTEGER, b VARCHAR)"),
    ("e", "DATE"),
    ("y", "BLOB"),
)
OF_TYPES = st.tuples(
    st.sampled_from([None, Decimal("-1.5"), Decimal("99999999999999999.999")]),
    st.sampled_from([None, Decimal(-(2**100)), Decimal(3)]),
    st.sampled_from([None, datetime.datetime(2026, 1, 1), datetime.datetime(1960, 1, 1)]),
    st.sampled_from([None, [], [1], [1, None], [2]]),
    st.sampled_from([None, {"a": 1, "b": "x"}, {"a": 1, "b": None}, {"a": None, "b": "y"}]),
    st.sampled_from([None, datetime.date(2026, 1, 1), datetime.date(1900, 1, 1)]),
    st.sampled_from([None, b"", b"\0", b"a"]),
)


@pytest.mark.parametrize("column", TYPES.names)
def test_it_sorts_whatever_has_an_order(column: str) -> None:
    @settings(max_examples=12, deadline=None)
    @given(histories(TYPES, OF_TYPES, size=12), st.booleans(), CALLS)
    def holds(history: History, descending: bool, calls: list[Call]) -> None:
        order = [f"{column} DESC"] if descending else [column]
        top = node(history.pattern, order, 2, 0, TYPES)
        check(top, [history], query(top), calls)

    holds()


def test_equal_intervals_are_one_value_however_they_are_written() -> None:
    schema = Schema.of(("i", "INTERVAL"))
    months, days = (pa.table({"i": [pa.MonthDayNano(each)]}) for each in ([1, 0, 0], [0, 30, 0]))
    operator = operator_for(node(Pattern.STR, ["i"], 1, 0, schema))
    one = np.ones(1, np.int8)
    operator.on_deltas([Delta(1, months, np.array([1]), None, one)])
    given_ = operator.on_deltas([Delta(2, days, np.array([2]), None, -one)])
    assert given_.sign is not None
    assert given_.sign.tolist() == [-1]


def test_only_what_changes_is_told() -> None:
    schema = Schema.of(("k", "INTEGER"))
    lives = [Lifetime((k,), k, 20 + k) for k in range(10)]
    top = node(Pattern.WK, ["k DESC"], 2, 0, schema)
    said = play(lambda: operator_for(top), [History(Pattern.WK, schema, tuple(lives))])
    assert said.sign is not None
    told = list(zip(said.ts.tolist(), said.sign.tolist(), said.rows["k"].to_pylist(), strict=True))
    assert told[:5] == [(0, 1, 0), (1, 1, 1), (2, -1, 0), (2, 1, 2), (3, -1, 1)]
    assert told[-2:] == [(28, -1, 8), (29, -1, 9)]
    assert len(told) == 20


def test_many_rows_come_and_go() -> None:
    schema = Schema.of(("k", "BIGINT"), ("v", "BIGINT"))
    lives = [Lifetime((n * 7919 % 1009, n), n, n + 300) for n in range(3000)]
    history = History(Pattern.WK, schema, tuple(lives))
    top = node(Pattern.WK, ["k"], 5, 3, schema)
    said = play(
        lambda: operator_for(top), [history], [Call(n, 1, restart=n == 900) for n in range(0, 3300, 300)]
    )
    for instant in (0, 5, 299, 300, 1500, 3100, 3298, 3299):
        live = sorted(each.row for each in lives if each.begin <= instant < each.end)[3:8]
        assert sorted(contents([said], instant)) == live


def test_instants_at_which_all_change_take_turns_with_those_of_few_changes() -> None:
    schema = Schema.of(("k", "BIGINT"), ("v", "BIGINT"))
    bursts = [Lifetime((n * 37 % 101, n), n // 90 * 10, n // 90 * 10 + 15) for n in range(1800)]
    single = [Lifetime((n * 53 % 97, -n), n, n + 150) for n in range(1, 200)]
    lives = tuple(sorted([*bursts, *single], key=lambda each: each.begin))
    top = node(Pattern.WK, ["k"], 4, 1, schema)
    calls = [Call(n, n % 3, restart=n % 60 == 7) for n in range(2, 400, 5)]
    said = play(lambda: operator_for(top), [History(Pattern.WK, schema, lives)], calls)
    for instant in range(0, 360, 7):
        live = sorted(each.row for each in lives if each.begin <= instant < each.end)[1:5]
        assert sorted(contents([said], instant)) == live
