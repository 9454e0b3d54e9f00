"""The oracle is DuckDB over the tuples that the window holds at each instant; the operators that keep every
tuple, a window and groups above it, are a reference for inputs of another size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.playing import CALLS, GAPS, Call, History, Lifetime, check
from tests.operators.test_group_by import COLUMNS, NUMBER_ROWS, NUMBERS, ROWS, node, query
from windrow.aggregates.registry import adds_up
from windrow.delta import Delta, concat
from windrow.operators.group_by_panes import GroupByPanesOperator
from windrow.operators.registry import operator_for
from windrow.plan.grouping import GroupBy, GroupByPanes
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent, Window, WindowSpec
from windrow.schema import Schema

SETS = [
    ("COUNT(*)", "COUNT(s) FILTER (WHERE t)", "SUM(i)", "AVG(i) FILTER (WHERE t)", "COUNT_IF(t)"),
    ("SUM(x)", "AVG(x)", "BOOL_AND(t)", "BOOL_OR(t)"),
    ("MIN(i)", "MAX(x)", "MIN(x) FILTER (WHERE t)", "MAX(i)", "MIN(t)"),
    ("COUNT(DISTINCT i)", "COUNT(DISTINCT s) FILTER (WHERE t)", "COUNT(DISTINCT x)", "COUNT(DISTINCT t)"),
    (),
]
SPECS = st.builds(WindowSpec, st.just(Extent.TIME), st.integers(1, 12), st.integers(1, 9))


@dataclass(frozen=True)
class Arrivals(History):
    """A stream below a window: what arrived when; the lifetimes are those in the window."""

    arrived: tuple[tuple[int, tuple[object, ...]], ...] = ()

    def delta(self) -> Delta:
        ts = np.array([ts for ts, _ in self.arrived], np.int64)
        return Delta(0, self.table([row for _, row in self.arrived]), ts)


@st.composite
def arrivals(draw: st.DrawFn, schema: Schema, rows: st.SearchStrategy[Any], spec: WindowSpec) -> Arrivals:
    ts, arrived = draw(st.integers(-9, 3)), []
    for row, gap in draw(st.lists(st.tuples(rows, GAPS), max_size=14)):
        ts += gap
        arrived.append((ts, row))
    seen = [Lifetime(row, _move(ts, spec), _move(ts + spec.size, spec)) for ts, row in arrived]
    live = tuple(each for each in seen if each.begin < each.end)
    return Arrivals(Pattern.MON, schema, live, tuple(arrived))


def _move(instant: int, spec: WindowSpec) -> int:
    """The first move of the window that is not before an instant."""
    return -(-instant // (spec.slide or 1)) * (spec.slide or 1)


def paned(grouped: GroupBy, spec: WindowSpec) -> GroupByPanes:
    assert adds_up(grouped.aggregates, grouped.names, grouped.input.schema)
    return GroupByPanes(grouped.input, grouped.keys, grouped.aggregates, grouped.names, spec=spec)


@pytest.mark.parametrize("calls", SETS, ids=lambda calls: ", ".join(calls) or "keys alone")
@settings(deadline=None, max_examples=25)
@given(st.data(), SPECS, CALLS, st.sampled_from([(), ("k",), ("s", "k")]))
def test_results_are_those_of_sql_over_the_tuples_in_the_window(
    calls: Sequence[str], data: st.DataObject, spec: WindowSpec, cuts: Sequence[Call], keys: Sequence[str]
) -> None:
    if not calls and not keys:
        return
    grouped = paned(node(Pattern.MON, keys, calls), spec)
    check(grouped, [data.draw(arrivals(COLUMNS, ROWS, spec))], query(grouped), cuts)


@settings(deadline=None, max_examples=25)
@given(st.data(), SPECS, CALLS, st.sampled_from([(), ("k",)]))
def test_numbers_of_all_kinds_are_added_and_compared_without_loss(
    data: st.DataObject, spec: WindowSpec, cuts: Sequence[Call], keys: Sequence[str]
) -> None:
    calls = [f"{name}({column})" for name in ("SUM", "AVG") for column in NUMBERS.names[1:]]
    calls += [f"{name}({column})" for name in ("MIN", "MAX", "COUNT") for column in ("b", "d", "f", "y")]
    grouped = paned(node(Pattern.MON, keys, calls, NUMBERS), spec)
    check(grouped, [data.draw(arrivals(NUMBERS, NUMBER_ROWS, spec))], query(grouped), cuts)


NAMES = Schema.of(("k", "INTEGER"), ("v", "INTEGER"), ("x", "DOUBLE"))
MANY = ("COUNT(*)", "SUM(x)", "MAX(x)", "MIN(v)", "COUNT(DISTINCT v)", "AVG(v)", "STDDEV(x)")


@pytest.mark.parametrize(
    ("size", "slide", "keys"),
    [(60, 10, 50), (25, 10, 3000), (10, 10, 50), (3, 10, 400), (10_000, 7, 20), (6, 1_000_000, 5)],
)
@pytest.mark.parametrize("restarts", [False, True])
def test_many_tuples_change_what_they_change_one_by_one(
    size: int, slide: int, keys: int, restarts: bool
) -> None:
    random = np.random.default_rng(size)
    count = 150_000 if not restarts else 20_000
    ts = np.sort(random.integers(0, 400, count))
    values = random.integers(0, 40, count), random.normal(size=count)
    rows = pa.table([random.integers(0, keys, count), *values], schema=NAMES.arrow)
    spec = WindowSpec(Extent.TIME, size, slide)
    grouped = node(Pattern.MON, ("k",), MANY, NAMES)
    window = Window(grouped.input, spec)
    whole = Delta(500, rows, ts)
    cuts = [0, 13, 20, 21, 95, 96, 130, 220, 260, 300, 500] if restarts else [180, 500]
    told = _told(paned(grouped, spec), window, whole, cuts, restarts)
    reference = _told(replace(grouped, input=window), window, whole, cuts, restarts)
    assert len(reference) > 0 or slide > 500
    assert told == reference


@pytest.mark.parametrize("restarts", [False, True])
def test_values_are_told_apart_wherever_they_lie(restarts: bool) -> None:
    """Close together, further apart, after all were gone, and as far apart as can be."""
    random = np.random.default_rng(7)
    ranges = [(0, 40), (-900, 5000), (7000, 7010), (-(2**31), 2**31 - 1), (0, 40)]
    begins = [0, 100, 300, 310, 330]
    parts = [random.integers(low, high, 900, endpoint=True) // 7 * 7 for low, high in ranges]
    values = np.clip(np.concatenate(parts), -(2**31), 2**31 - 1)
    ts = np.concatenate([begin + np.sort(random.integers(0, 20, 900)) for begin in begins])
    whole = Delta(500, pa.table([values % 5, values, values / 2], schema=NAMES.arrow), np.sort(ts))
    grouped, spec = node(Pattern.MON, ("k",), ("COUNT(DISTINCT v)",), NAMES), WindowSpec(Extent.TIME, 30, 6)
    window, cuts = Window(grouped.input, spec), [5, 90, 110, 125, 220, 305, 315, 320, 335, 341, 500]
    told = _told(paned(grouped, spec), window, whole, cuts, restarts)
    assert told == _told(replace(grouped, input=window), window, whole, cuts, False)


def _told(
    grouped: GroupBy, window: Window, whole: Delta, cuts: Sequence[int], restarts: bool
) -> list[tuple[object, ...]]:
    """The changes, those of an instant in no order."""
    steps = [operator_for(grouped)]
    if not isinstance(steps[0], GroupByPanesOperator):
        steps.insert(0, operator_for(window))
    given, done = [], 0
    for clock in cuts:
        # Of the tuples of the clock's own instant half come with the next call.
        before, upto = np.searchsorted(whole.ts, (clock, clock + 1))
        stop = upto if clock == cuts[-1] else (before + upto) // 2
        delta = whole.between(done, int(stop)).at(clock)
        done = int(stop)
        for step in steps:
            delta = step.on_deltas([delta])
        given.append(delta)
        if restarts:
            states = [step.save() for step in steps]
            steps = [operator_for(window), operator_for(grouped)][-len(steps) :]
            for step, state in zip(steps, states, strict=True):
                if state:
                    step.restore(state)
    said = concat(given)
    assert said.sign is not None
    columns = [column.to_pylist() for column in said.rows.columns]
    return sorted(zip(said.ts.tolist(), said.sign.tolist(), *columns, strict=True))


def test_state_is_as_large_as_the_cells_not_the_tuples() -> None:
    operator = operator_for(paned(node(Pattern.MON, ("k",), ("SUM(v)", "MAX(x)"), NAMES), WINDOW))
    sizes = []
    for second in range(30):
        count = 5000
        rows = pa.table([np.arange(count) % 4, np.ones(count, int), np.ones(count)], schema=NAMES.arrow)
        operator.on_deltas([Delta(second * 10, rows, np.full(count, second * 10 - 5))])
        sizes.append(sum(table.num_rows for table in operator.save().values()))
    assert max(sizes) < 500
    operator.on_deltas([Delta.empty(10_000, NAMES.arrow)])
    assert sum(table.num_rows for table in operator.save().values()) < 10


WINDOW = WindowSpec(Extent.TIME, 60, 10)


@pytest.mark.parametrize(
    "call",
    ["MEDIAN(v)", "SUM(DISTINCT v)", "FIRST(v)", "ARRAY_AGG(v)", "COUNT(DISTINCT v + 0)", "BIT_XOR(v)"],
)
def test_what_needs_all_tuples_is_not_added_up(call: str) -> None:
    grouped = node(Pattern.MON, ("k",), ("COUNT(*)", call), NAMES)
    assert not adds_up(grouped.aggregates, grouped.names, NAMES)
