"""Aggregates of the user's own under OVER give what DuckDB's own give, in all kinds of frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from tests.aggregates.user_defined.playing import defined
from tests.operators.playing import CALLS, Call, History, histories, play
from tests.operators.test_group_by_user_defined import TOTAL, WINDOW_TOTAL
from tests.operators.test_over import (
    COLUMNS,
    FRAMES,
    PARTITIONS,
    ROWS,
    after,
    as_they_come_and_go,
    by_duckdb,
    node,
    numbered,
)
from windrow.catalog import Aggregate
from windrow.operators.registry import operator_for
from windrow.plan.grouping import Frame, Over
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent
from windrow.schema import Field

GREATEST = """
CREATE WINDOW AGGREGATE peak(x int) : int {
    TABLE inwindow(w int);
    INITIALIZE: { INSERT INTO RETURN VALUES (x) }
    ITERATE: { DELETE FROM inwindow WHERE w <= x; INSERT INTO RETURN VALUES (oldest()) }
    EXPIRE: { }
}"""
BASE, WINDOW, PEAK = defined(TOTAL), defined(WINDOW_TOTAL), defined(GREATEST)


def own(frame: Frame, partition: Sequence[str], text: str, *versions: Aggregate) -> Over:
    """The call of an aggregate with these versions."""
    tree: exp.Expr = exp.maybe_parse(text, dialect="duckdb")
    (tree.this if isinstance(tree, exp.Filter) else tree).meta["aggregate"] = versions
    told = frame.preceding is not None and any(each.window for each in versions)
    plain = node(frame, partition, ["COUNT(*)"])
    return Over(plain.input, (tree,), (Field("a0", versions[0].type),), tuple(partition), frame, told)


def given_by(of: Over, history: History, cuts: Sequence[Call]) -> list[tuple[object, ...]]:
    said = play(lambda: operator_for(of), [history], cuts, Pattern.MON)
    rows = said.rows.to_pylist()
    return [(ts, row["n"], row["a0"]) for ts, row in zip(said.ts.tolist(), rows, strict=True)]


VERSIONS = {"derived": (BASE,), "explicit": (BASE, WINDOW)}
KINDS = st.sampled_from(list(VERSIONS))
HISTORIES = histories(COLUMNS, ROWS, [Pattern.MON], 25).map(numbered)


@settings(deadline=None, max_examples=25)
@given(HISTORIES, CALLS, FRAMES, PARTITIONS, KINDS)
def test_derived_and_explicit_versions_are_what_sql_says(
    history: History,
    cuts: Sequence[Call],
    frame: Frame,
    partition: Sequence[str],
    versions: str,
) -> None:
    expected = by_duckdb(node(frame, partition, ["SUM(i)"]), history)
    assert given_by(own(frame, partition, "total(i)", *VERSIONS[versions]), history, cuts) == expected


@settings(deadline=None, max_examples=15)
@given(HISTORIES, CALLS, st.sampled_from([1, 3, 8]), PARTITIONS, KINDS)
def test_filter_keeps_tuples_away(
    history: History,
    cuts: Sequence[Call],
    size: int,
    partition: Sequence[str],
    versions: str,
) -> None:
    """A tuple that does not count gives no row where the aggregate itself says when."""
    frame = Frame(Extent.TIME, size)
    expected = by_duckdb(node(frame, partition, ["SUM(i) FILTER (WHERE t)"]), history)
    filtered = own(frame, partition, "total(i) FILTER (WHERE t)", *VERSIONS[versions])
    if filtered.own:
        counts = {number: each.row[5] for number, each in enumerate(history.lifetimes)}
        expected = [row for row in expected if counts[row[1]]]
    assert given_by(filtered, history, cuts) == expected


@settings(deadline=None, max_examples=15)
@given(HISTORIES, CALLS, st.sampled_from([0, 1, 3, 8]), st.sampled_from([1, 2, 3, 5]), PARTITIONS, KINDS)
def test_slides_keep_some_of_the_results(
    history: History,
    cuts: Sequence[Call],
    size: int,
    slide: int,
    partition: Sequence[str],
    versions: str,
) -> None:
    built_in = operator_for(node(Frame(Extent.COUNT, size, slide), partition, ["SUM(i)"]))
    said = play(lambda: built_in, [history], [], Pattern.MON)
    expected = list(
        zip(said.ts.tolist(), said.rows["n"].to_pylist(), said.rows["a0"].to_pylist(), strict=True)
    )
    sliding = own(Frame(Extent.COUNT, size, slide), partition, "total(i)", *VERSIONS[versions])
    assert given_by(sliding, history, cuts) == expected


@settings(deadline=None, max_examples=15)
@given(HISTORIES, CALLS, st.sampled_from([0, 1, 3, 8, 45]), PARTITIONS, KINDS)
def test_active_expiration_tells_what_is_left(
    history: History,
    cuts: Sequence[Call],
    size: int,
    partition: Sequence[str],
    versions: str,
) -> None:
    """Of a frame that is empty a window version says nothing."""
    frame = Frame(Extent.TIME, size, active=True)
    told = as_they_come_and_go(node(frame, partition, ["SUM(i)", "COUNT(*)"]), history)
    active = own(frame, partition, "total(i)", *VERSIONS[versions])
    expected = [row[:3] for row in told if row[3] or not active.own]
    came = given_by(active, history, [*cuts, after(history, cuts, size)])
    assert sorted(came, key=repr) == sorted(expected, key=repr)


@settings(deadline=None, max_examples=15)
@given(HISTORIES, CALLS, st.sampled_from([0, 1, 3, 8]), PARTITIONS)
def test_tuples_may_be_deleted_from_the_window(
    history: History, cuts: Sequence[Call], size: int, partition: Sequence[str]
) -> None:
    frame = Frame(Extent.COUNT, size)
    peaks = own(frame, partition, "peak(i) FILTER (WHERE i IS NOT NULL)", PEAK)
    counted = [each for each in history.lifetimes if each.row[3] is not None]
    whole = History(history.pattern, history.schema, tuple(counted))
    plain = own(frame, partition, "peak(i)", PEAK)
    expected = by_duckdb(node(frame, partition, ["MAX(i)"]), whole)
    assert given_by(plain, whole, cuts) == expected
    assert len(given_by(peaks, history, cuts)) == len(expected)


def test_frames_of_their_own_need_a_window_version() -> None:
    with pytest.raises(ValueError, match="these frames are of window aggregates"):
        operator_for(replace(own(Frame(Extent.COUNT, 1), (), "total(i)", BASE), own=True))
