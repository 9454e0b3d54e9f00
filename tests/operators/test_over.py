"""The oracle is DuckDB's own OVER on all tuples; slides and active expiration have a plain reference."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, Call, History, histories, play, received
from tests.operators.test_group_by import NUMBER_ROWS, NUMBERS
from tests.plan.samples import sql
from windrow.expressions.typing import type_of
from windrow.operators.over import OverOperator
from windrow.plan.grouping import Frame, Over
from windrow.plan.nodes import sql_of
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent
from windrow.schema import Field, Schema

COLUMNS = Schema.of(
    ("n", "INTEGER"),
    ("k", "INTEGER"),
    ("s", "VARCHAR"),
    ("i", "INTEGER"),
    ("x", "DOUBLE"),
    ("t", "BOOLEAN"),
)
ROWS = st.tuples(
    st.just(0),
    st.sampled_from([None, 1, 1, 2]),
    st.sampled_from([None, "", "a", "b"]),
    st.sampled_from([None, -3, 0, 2, 2_000_000_000]),
    st.sampled_from([None, -0.5, 0.25, 3.0, math.nan, math.inf]),
    st.sampled_from([None, True, False]),
)
FRAMES = st.builds(Frame, st.sampled_from(list(Extent)), st.sampled_from([None, 0, 1, 2, 3, 8, 45]))
PARTITIONS = st.sampled_from([(), ("k",), ("s", "k"), ("x",)])

SETS = [
    (
        "COUNT(*)",
        "COUNT(i)",
        "COUNT(s) FILTER (WHERE t)",
        "SUM(i)",
        "AVG(i) FILTER (WHERE t)",
        "COUNT_IF(t)",
    ),
    ("SUM(x)", "AVG(x)", "BOOL_AND(t)", "BOOL_OR(t) FILTER (WHERE i > 0)", "SUM(i * 0)"),
    ("MIN(i)", "MAX(i)", "MIN(x)", "MAX(x) FILTER (WHERE t)", "MIN(s)", "MAX(t)"),
    ("FIRST(i)", "LAST(s)", "ANY_VALUE(i)", "FIRST(x) FILTER (WHERE t)", "LAST(i) FILTER (WHERE t)"),
    ("COUNT(DISTINCT i)", "COUNT(DISTINCT x) FILTER (WHERE t)", "SUM(DISTINCT i)", "COUNT(DISTINCT s)"),
    ("MEDIAN(i)", "QUANTILE_CONT(i, 0.25)", "STRING_AGG(s, '-')", "ARRAY_AGG(i)"),
    (
        *("MEDIAN(x)", "QUANTILE_CONT(x, 0.3)", "MEDIAN(i) FILTER (WHERE t)", "QUANTILE_CONT(i, 1)"),
        *("QUANTILE_DISC(i, 0.3)", "QUANTILE_DISC(x, 0.75)", "QUANTILE(i, 0)"),
    ),
]

OTHERWISE = {
    "FIRST(x) FILTER(WHERE t)": "(LIST(x) FILTER (WHERE t) OVER {over})[1]",
    "LAST(i) FILTER(WHERE t)": "(LIST(i) FILTER (WHERE t) OVER {over})[-1]",
}
"""What DuckDB cannot say with OVER in the words of a call."""


def node(frame: Frame, partition: Sequence[str], calls: Sequence[str], schema: Schema = COLUMNS) -> Over:
    """A node whose calls have the types that DuckDB gives them."""
    trees = tuple(map(sql, calls))
    names = tuple(Field(f"a{place}", type_of(tree, schema)) for place, tree in enumerate(trees))
    return Over(received("S", schema, Pattern.MON), trees, names, tuple(partition), frame)


def numbered(history: History) -> History:
    """The same tuples, numbered in their first column."""
    return History(
        history.pattern,
        history.schema,
        tuple(
            type(each)((number, *each.row[1:]), each.begin) for number, each in enumerate(history.lifetimes)
        ),
    )


def by_duckdb(of: Over, history: History) -> list[tuple[object, ...]]:
    """What DuckDB says of each tuple."""
    table = history.table([each.row for each in history.lifetimes])
    table = table.append_column("ts", pa.array([each.begin for each in history.lifetimes], pa.int64()))
    unit = "RANGE" if of.frame.extent is Extent.TIME else "ROWS"
    size = "UNBOUNDED" if of.frame.preceding is None else of.frame.preceding
    partition = f"PARTITION BY {', '.join(of.partition)}" if of.partition else ""
    order = "ts" if of.frame.extent is Extent.TIME else "n"
    over = f"({partition} ORDER BY {order} {unit} BETWEEN {size} PRECEDING AND CURRENT ROW)"
    calls = ", ".join(
        OTHERWISE.get(sql_of(call), f"{sql_of(call)} OVER {{over}}").format(over=over) for call in of.calls
    )
    with duckdb.connect(config={"threads": 1}) as engine:
        engine.register("told", table)
        return engine.execute(f"SELECT ts, n, {calls} FROM told ORDER BY ts, n").fetchall()


def given_by(of: Over, history: History, cuts: Sequence[Call]) -> list[tuple[object, ...]]:
    """What the operator says of each tuple, in its order."""
    said = play(lambda: OverOperator(of), [history], cuts, Pattern.MON)
    rows = said.rows.to_pylist()
    return [
        (ts, row["n"], *(row[field.name] for field in of.names))
        for ts, row in zip(said.ts.tolist(), rows, strict=True)
    ]


def comparable(rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [tuple("NaN" if value != value else value for value in row) for row in rows]


@pytest.mark.parametrize("calls", SETS, ids=", ".join)
@settings(deadline=None, max_examples=12)
@given(histories(COLUMNS, ROWS, [Pattern.MON], 30).map(numbered), CALLS, FRAMES, PARTITIONS)
def test_results_are_those_of_sql(
    calls: Sequence[str], history: History, cuts: Sequence[Call], frame: Frame, partition: Sequence[str]
) -> None:
    over = node(frame, partition, calls)
    assert comparable(given_by(over, history, cuts)) == comparable(by_duckdb(over, history))


NUMBERED = Schema((Field("n", "INTEGER"), *NUMBERS))
NUMBERED_ROWS = NUMBER_ROWS.map(lambda row: (0, *row))


@settings(deadline=None, max_examples=12)
@given(histories(NUMBERED, NUMBERED_ROWS, [Pattern.MON], 30).map(numbered), CALLS, FRAMES)
def test_numbers_of_all_kinds_have_frames(history: History, cuts: Sequence[Call], frame: Frame) -> None:
    calls = [f"{name}({column})" for name in ("SUM", "MIN", "LAST") for column in NUMBERS.names[1:]]
    over = node(frame, ("k",), calls, NUMBERED)
    assert given_by(over, history, cuts) == by_duckdb(over, history)


@settings(deadline=None, max_examples=12)
@given(histories(COLUMNS, ROWS, [Pattern.MON], 30).map(numbered), CALLS, FRAMES, PARTITIONS)
def test_spreads_are_nearly_those_of_sql(
    history: History, cuts: Sequence[Call], frame: Frame, partition: Sequence[str]
) -> None:
    """DuckDB's own depend on the order in which it adds."""
    calls = ("VARIANCE(i)", "VAR_POP(i) FILTER (WHERE t)", "STDDEV(i)", "VARIANCE(x)", "STDDEV_POP(x)")
    over = node(frame, partition, calls)
    for given_, wanted in zip(given_by(over, history, cuts), by_duckdb(over, history), strict=True):
        for mine, theirs in zip(given_, wanted, strict=True):
            assert (mine is None) == (theirs is None)
            assert mine is None or mine == pytest.approx(theirs, rel=1e-9, abs=1e-6, nan_ok=True)


CALLS_OF_SLIDES = ("COUNT(*)", "SUM(x) FILTER (WHERE t)", "MAX(i)", "ARRAY_AGG(i)")
SLIDES = st.builds(
    Frame,
    st.sampled_from(list(Extent)),
    st.sampled_from([None, 0, 1, 3, 8]),
    st.sampled_from([1, 2, 3, 4, 9]),
)


@settings(deadline=None, max_examples=25)
@given(histories(COLUMNS, ROWS, [Pattern.MON], 30).map(numbered), CALLS, SLIDES, PARTITIONS)
def test_a_slide_keeps_the_results_of_the_last_tuple_of_each_slot(
    history: History, cuts: Sequence[Call], frame: Frame, partition: Sequence[str]
) -> None:
    over = node(frame, partition, CALLS_OF_SLIDES)
    plain = comparable(by_duckdb(over, history))
    places = [COLUMNS.names.index(key) for key in partition]
    counts: Counter[object] = Counter()
    lasts: dict[object, tuple[object, ...]] = {}
    for each, result in zip(history.lifetimes, plain, strict=True):
        group = comparable([tuple(each.row[place] for place in places)])[0]
        counts[group] += 1
        if frame.extent is Extent.TIME:
            end = -(-each.begin // frame.slide) * frame.slide
            lasts[group, end] = (end, *result[1:])
        elif counts[group] % frame.slide == 0:
            lasts[group, counts[group]] = result
    given_ = comparable(given_by(over, history, [*cuts, after(history, cuts, 9)]))
    assert sorted(given_, key=repr) == sorted(lasts.values(), key=repr)
    assert [row[0] for row in given_] == sorted(row[0] for row in given_)


@settings(deadline=None, max_examples=25)
@given(
    histories(COLUMNS, ROWS, [Pattern.MON], 25).map(numbered),
    CALLS,
    st.sampled_from([0, 1, 3, 8, 45]),
    PARTITIONS,
)
def test_active_expiration_gives_a_result_when_a_tuple_leaves(
    history: History, cuts: Sequence[Call], size: int, partition: Sequence[str]
) -> None:
    over = node(Frame(Extent.TIME, size, active=True), partition, CALLS_OF_SLIDES)
    given_ = comparable(given_by(over, history, [*cuts, after(history, cuts, size)]))
    assert sorted(given_, key=repr) == sorted(comparable(as_they_come_and_go(over, history)), key=repr)


def after(history: History, cuts: Sequence[Call], length: int) -> Call:
    """A call so long after the last tuple."""
    begins = [each.begin for each in history.lifetimes]
    return Call(max([0, *begins, *(cut.clock for cut in cuts)]) + length + 1, 0)


def as_they_come_and_go(of: Over, history: History) -> list[tuple[object, ...]]:
    """What DuckDB says of the tuples that are there whenever one comes or has gone."""
    table = history.table([each.row for each in history.lifetimes])
    table = table.append_column("ts", pa.array([each.begin for each in history.lifetimes], pa.int64()))
    same = " AND ".join(["true", *(f"l.{key} IS NOT DISTINCT FROM e.{key}" for key in of.partition)])
    calls = ", ".join(map(sql_of, of.calls))
    with duckdb.connect(config={"threads": 1}) as engine:
        engine.register("told", table)
        engine.execute(
            f"CREATE TABLE events AS SELECT *, ts AS moment FROM told"
            f" UNION ALL SELECT *, ts + {of.frame.preceding} + 1 FROM told"
        )
        found = []
        for at, number in engine.execute("SELECT moment, n FROM events").fetchall():
            there = f"l.ts <= e.moment AND e.moment <= l.ts + {of.frame.preceding} AND {same}"
            event = f"(FROM events WHERE moment = {at} AND n = {number}) AS e"
            members = f"SELECT l.* FROM told AS l, {event} WHERE {there} ORDER BY l.n"
            (results,) = engine.execute(f"SELECT {calls} FROM ({members})").fetchall()
            found.append((at, number, *results))
    return found
