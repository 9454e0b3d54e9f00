"""Results of internal windows: they come as those of external ones do, and stay."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.streams import (
    CLOCK_STEPS,
    COLUMNS,
    TUPLES,
    Tuples,
    clocks,
    contents,
    cut,
    edge,
    events,
    living,
    run,
    scan,
    signed,
    stream,
)
from windrow.delta import NEVER, Delta
from windrow.operators.append import AppendOperator
from windrow.operators.base import Operator
from windrow.operators.window import window_operator
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Append, Extent, Window, WindowSpec
from windrow.schema import Field, Schema

END = 60


def append(pattern: Pattern) -> Operator:
    return AppendOperator(Append(edge(pattern)))


@settings(deadline=None)
@given(TUPLES, st.integers(1, 5), st.sampled_from(Extent), CLOCK_STEPS)
def test_everything_that_a_window_held_stays(
    tuples: Tuples, size: int, extent: Extent, steps: list[int]
) -> None:
    node = Window(scan(), WindowSpec(extent, size), internal=True)
    window = run(
        lambda: window_operator(node), [[part] for part in cut(stream(tuples, END), clocks(steps))]
    )
    given_ = run(lambda: AppendOperator(Append(node)), [[delta] for delta in window])
    assert all(delta.exp is None and delta.sign is None for delta in given_)
    if extent is Extent.TIME:
        assert Counter(row for row, *_ in events(given_)) == Counter(row for row, _ in tuples)
        return
    # Of more than fit into the window at one instant, the window never held the first.
    held = [
        each
        for place, each in enumerate(tuples)
        if each[1] != dict(enumerate(tuples)).get(place + size, (None, None))[1]
    ]
    assert [(row, ts) for row, ts, _, _ in events(given_)] == held


def test_an_equal_tuple_that_takes_the_place_of_another_is_a_result() -> None:
    told = [((1, "a"), 1, +1), ((1, "a"), 2, -1), ((1, "a"), 2, +1)]
    (given_,) = run(lambda: append(Pattern.STR), [[signed(told, 3)]])
    assert [(row, ts) for row, ts, _, _ in events([given_])] == [((1, "a"), 1), ((1, "a"), 2)]


def test_what_is_taken_back_at_its_own_instant_was_no_result() -> None:
    told = [((1, "a"), 1, +1), ((2, "b"), 1, +1), ((1, "a"), 1, -1), ((1, "a"), 2, -1)]
    (given_,) = run(lambda: append(Pattern.STR), [[signed(told, 3)]])
    assert [(row, ts) for row, ts, _, _ in events([given_])] == [((2, "b"), 1)]


def test_results_last_as_long_as_the_external_windows_say() -> None:
    # The join of an internal window with two external ones, which tell their ends in columns.
    schema = Schema((*COLUMNS, Field("first", "BIGINT"), Field("second", "BIGINT")))
    node = Append(edge(Pattern.WK, schema=schema), ("first", "second"))
    rows = living([((1, "a"), 1, 3), ((2, "b"), 2, 4)], 9)
    for name, ends in (("first", [7, NEVER]), ("second", [8, NEVER])):
        rows = Delta(rows.clock, rows.rows.append_column(name, [ends]), rows.ts, rows.exp)
    (given_,) = run(lambda: AppendOperator(node), [[rows]])
    assert events([given_]) == [((1, "a"), 1, 7, 1), ((2, "b"), 2, NEVER, 1)]
    assert contents([given_], 6) == Counter([(1, "a"), (2, "b")])
