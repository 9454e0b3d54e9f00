"""The oracle is DuckDB, asked at each instant over the tuples that are live then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, Lifetime, check, histories, play, received
from tests.plan.samples import sql
from windrow.delta import BEGINNING, Delta
from windrow.expressions.engine import fetch
from windrow.operators.differences import differences
from windrow.operators.registry import operator_for
from windrow.plan.emitting import Reevaluate
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

LEFT = Schema.of(("a", "INTEGER"), ("b", "INTEGER"))
RIGHT = Schema.of(("c", "INTEGER"), ("d", "VARCHAR"))
NUMBERS = st.sampled_from([None, 0, 1, 1, 2])
ROWS = st.tuples(NUMBERS, NUMBERS)
OTHERS = st.tuples(NUMBERS, st.sampled_from([None, "x", "y"]))

QUERIES = [
    "SELECT a, sum(b) AS n FROM {l} GROUP BY ROLLUP (a)",
    "SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY b, c, d) AS n FROM {l}, {r} WHERE a <= c",
    "SELECT a FROM {l} WHERE b > (SELECT avg(c) FROM {r}) OR a IN (SELECT c FROM {r} WHERE d = 'x')",
    "SELECT (SELECT count(*) FROM {r} WHERE c = a) AS n, b FROM {l}",
    "SELECT coalesce(a, c) AS k, b, d FROM {l} FULL JOIN {r} ON a = c",
]


def node(pattern: Pattern, other: Pattern, query: str) -> Reevaluate:
    text = query.format(l="__0", r="__1")
    sources = received("L", LEFT, pattern), received("R", RIGHT, other)
    empty = ", ".join(f"NULL::{field.type} AS {field.name}" for field in LEFT)
    empty_too = ", ".join(f"NULL::{field.type} AS {field.name}" for field in RIGHT)
    described = fetch(f"DESCRIBE WITH __0 AS (SELECT {empty}), __1 AS (SELECT {empty_too}) {text}")
    output = Schema.of(
        *zip(*(described[name].to_pylist() for name in ("column_name", "column_type")), strict=True)
    )
    tree = sql(text)
    return Reevaluate(sources, tree, output)


@pytest.mark.parametrize("query", QUERIES)
def test_it_is_what_sql_says(query: str) -> None:
    @settings(max_examples=12, deadline=None)
    @given(histories(LEFT, ROWS, size=6), histories(RIGHT, OTHERS, size=4), CALLS)
    def holds(left: History, right: History, calls: list[Call]) -> None:
        asked = node(left.pattern, right.pattern, query)
        check(asked, [left, right], query.format(l="l", r="r"), calls)

    holds()


def one_source(query: str) -> Reevaluate:
    output = Schema.of(("n", "BIGINT"))
    return Reevaluate((received("L", LEFT, Pattern.WK),), sql(query), output)


def history(*lifetimes: Lifetime) -> History:
    return History(Pattern.WK, LEFT, lifetimes)


def told(said: Delta) -> Sequence[tuple[int, int, object]]:
    assert said.sign is not None
    return list(zip(said.ts.tolist(), said.sign.tolist(), said.rows["n"].to_pylist(), strict=True))


def test_a_query_that_answers_even_of_nothing_does_so_from_the_beginning() -> None:
    operator = operator_for(one_source("SELECT count(*) AS n FROM __0"))
    nothing = history().delta()
    assert told(operator.on_deltas([nothing.at(5)])) == [(BEGINNING, 1, 0)]
    assert not len(operator.on_deltas([nothing.at(9)]))


def test_where_it_cannot_be_computed_it_has_no_answer_and_says_why() -> None:
    asked = one_source("SELECT (SELECT a FROM __0)::BIGINT AS n FROM __0")
    operator = operator_for(asked)
    both = history(Lifetime((1, 1), 1, 9), Lifetime((2, 1), 4, 6)).delta()
    assert told(operator.on_deltas([both.at(20)])) == [(1, 1, 1), (4, -1, 1), (6, 1, 1), (9, -1, 1)]
    failures = operator.take_failures()
    assert failures is not None
    ((stream, reason),) = zip(failures["stream"].to_pylist(), failures["reason"].to_pylist(), strict=True)
    assert stream == "L"
    assert "More than one row" in reason
    assert operator.take_failures() is None


def test_many_instants_are_asked_about_in_several_rounds() -> None:
    lives = [Lifetime((n, n), n, n + 10) for n in range(150)]
    said = play(lambda: operator_for(one_source("SELECT sum(a)::BIGINT AS n FROM __0")), [history(*lives)])
    at_each = {ts: n for ts, sign, n in told(said) if sign > 0}
    assert at_each[149] == sum(range(140, 150))
    assert len(at_each) == 1 + 160


def test_rows_are_told_in_the_order_of_their_answers() -> None:
    schema = Schema.of(("n", "INTEGER"))
    answers = [
        pa.table({"n": pa.array(each, pa.int32())}) for each in ([1, 1, 2], [3, 2, 1], [3, 2, 1], [])
    ]
    rows, at, signs = differences(answers, schema)
    changes = list(zip(at.tolist(), signs.tolist(), rows["n"].to_pylist(), strict=True))
    assert changes == [(1, -1, 1), (1, 1, 3), (3, -1, 3), (3, -1, 2), (3, -1, 1)]


def test_nothing_changes_between_equal_answers() -> None:
    schema = Schema.of(("x", "DOUBLE"))
    nans = pa.table({"x": [float("nan"), None, 0.0]})
    rows, _, _ = differences([nans, nans.take(np.array([2, 0, 1]))], schema)
    assert not len(rows)
