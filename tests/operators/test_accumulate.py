"""Non-blocking aggregates over streams, against loops over the same tuples in plain Python."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from tests import esl
from tests.aggregates.user_defined.playing import defined
from tests.operators import streams
from tests.operators.streams import Row, Tuples, cut, events, run, stream
from windrow.catalog import Aggregate
from windrow.operators.accumulate import AccumulateOperator
from windrow.operators.registry import operator_for
from windrow.plan.grouping import Accumulate
from windrow.schema import Field

COUNTING = """
CREATE AGGREGATE counting(x bigint) : bigint {
    TABLE t(n bigint);
    INITIALIZE: { INSERT INTO t VALUES (1); INSERT INTO RETURN VALUES (1) }
    ITERATE: { UPDATE t SET n = n + 1; INSERT INTO RETURN SELECT n FROM t }
}"""
"""How many tuples there are so far."""

REPEATED = """
CREATE AGGREGATE repeated(x varchar) : varchar {
    TABLE t(v varchar);
    INITIALIZE: ITERATE: {
        INSERT INTO RETURN SELECT v FROM t WHERE v = x;
        INSERT INTO t VALUES (x)
    }
}"""
"""Of each earlier tuple with this value, the value."""


def call(aggregate: Aggregate, text: str) -> exp.Expr:
    tree: exp.Expr = exp.maybe_parse(text, dialect="duckdb")
    function = tree.this if isinstance(tree, exp.Filter) else tree
    function.meta["aggregate"] = (aggregate,)
    return tree


def node(*calls: tuple[str, str], keys: tuple[str, ...] = ("k",)) -> Accumulate:
    """Calls by the text of a definition and their own."""
    aggregates = [defined(text) for text, _ in calls]
    trees = tuple(call(each, text) for each, (_, text) in zip(aggregates, calls, strict=True))
    names = tuple(Field(f"r{place}", each.type) for place, each in enumerate(aggregates))
    return Accumulate(streams.scan(), keys, trees, names)


def given_by(
    plan: Accumulate, tuples: Tuples, *, clocks: list[int], restarts: bool
) -> list[tuple[Row, int]]:
    calls = [[delta] for delta in cut(stream(tuples, 30), clocks)]
    came = run(lambda: operator_for(plan), calls, restarts=restarts)
    return [(row, ts) for row, ts, _, _ in events(came)]


@settings(deadline=None, max_examples=8)
@given(streams.TUPLES, streams.CLOCK_STEPS, st.booleans())
def test_each_group_counts_by_itself(tuples: Tuples, steps: list[int], restarts: bool) -> None:
    numbers: defaultdict[object, int] = defaultdict(int)
    expected = []
    for (key, _), ts in tuples:
        numbers[key] += 1
        expected.append(((key, numbers[key]), ts))
    plan = node((COUNTING, "counting(k)"))
    assert given_by(plan, tuples, clocks=streams.clocks(steps), restarts=restarts) == expected


@settings(deadline=None, max_examples=8)
@given(streams.TUPLES, streams.CLOCK_STEPS, st.booleans())
def test_distinct_takes_each_value_once_and_filter_some(
    tuples: Tuples, steps: list[int], restarts: bool
) -> None:
    """Where only one of two calls returns something, the other one's column is NULL."""
    seen: defaultdict[object, set[object]] = defaultdict(set)
    lacking: defaultdict[object, int] = defaultdict(int)
    expected = []
    for (key, value), ts in tuples:
        new = value not in seen[key]
        seen[key].add(value)
        lacking[key] += value is None
        if new or value is None:
            row = (key, len(seen[key]) if new else None, lacking[key] if value is None else None)
            expected.append((row, ts))
    distinct = COUNTING.replace("bigint) : ", "varchar) : ")
    plan = node((distinct, "counting(DISTINCT v)"), (COUNTING, "counting(1) FILTER (WHERE v IS NULL)"))
    assert given_by(plan, tuples, clocks=streams.clocks(steps), restarts=restarts) == expected


def test_a_tuple_may_give_several_rows_or_none() -> None:
    tuples: Tuples = [((1, value), ts) for ts, value in enumerate(["a", "b", "a", "a", None])]
    plan = node((REPEATED, "repeated(v)"), (COUNTING, "counting(k) FILTER (WHERE v = 'a')"), keys=())
    assert given_by(plan, tuples, clocks=[2], restarts=False) == [
        ((None, 1), 0),
        (("a", 2), 2),
        (("a", 3), 3),
        (("a", None), 3),
    ]


def test_arguments_are_cast_to_what_the_aggregate_takes() -> None:
    tuples: Tuples = [((3, "a"), 0), ((4, "a"), 1)]
    plan = node((esl.CUM_AVG, "cum_avg(k)"), keys=())
    assert given_by(plan, tuples, clocks=[], restarts=False) == [((3.0,), 0), ((3.5,), 1)]


def test_tuples_on_which_a_definition_fails_are_told() -> None:
    narrow = COUNTING.replace("n bigint", "n tinyint").replace("VALUES (1); ", "VALUES (x); ")
    operator = AccumulateOperator(node((narrow, "counting(k)")))
    tuples: Tuples = [((1, "a"), 0), ((1000, "b"), 1), ((1000, "c"), 2)]
    came = events([operator.on_deltas([stream(tuples, 3)])])
    assert [row for row, *_ in came] == [(1, 1)]
    failures = operator.take_failures()
    assert failures is not None
    assert failures["stream"].to_pylist() == ["S"]
    assert failures["input"].to_pylist() == ['{"k":1000,"v":"b"}']
    assert "out of range" in failures["reason"][0].as_py()
    assert operator.take_failures() is None


def test_only_base_aggregates_accumulate() -> None:
    with pytest.raises(ValueError, match="only base aggregates accumulate"):
        operator_for(node((esl.MYAVG, "myavg(k)")))


def test_nothing_comes_of_nothing() -> None:
    operator = operator_for(node((COUNTING, "counting(k)")))
    assert len(operator.on_deltas([stream([], 3)])) == 0
    assert np.array_equal(operator.on_deltas([stream([((1, "a"), 4)], 4)]).ts, [4])
