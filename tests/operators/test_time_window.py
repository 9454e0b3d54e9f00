"""The reference says for each instant what the window holds, from the definition, tuple by tuple."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.streams import (
    CLOCK_STEPS,
    TUPLES,
    Row,
    Tuples,
    clocks,
    contents,
    cut,
    events,
    run,
    scan,
    stream,
)
from windrow.delta import BEGINNING, NEVER
from windrow.operators.base import Operator
from windrow.operators.time_window import SlidingTimeWindow, later, slot
from windrow.operators.window import window_operator
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent, Window, WindowSpec

END = 60
SIZES = st.one_of(st.integers(1, 12), st.just(NEVER))
SLIDES = st.one_of(st.none(), st.integers(1, 12))


def window(size: int, slide: int | None = None, exposed: str | None = None) -> Window:
    return Window(scan(), WindowSpec(Extent.TIME, size, slide), exposed=exposed)


def held(tuples: Tuples, size: int, slide: int | None, at: int) -> Counter[Row]:
    """S [RANGE size SLIDE slide] at an instant: what the window without a slide held at its last move."""
    moved = at if slide is None else at // slide * slide
    return Counter(row for row, ts in tuples if moved - size < ts <= moved)


@settings(deadline=None)
@given(TUPLES, SIZES, SLIDES, CLOCK_STEPS, st.booleans())
def test_holds_what_the_definition_says_at_every_instant(
    tuples: Tuples, size: int, slide: int | None, steps: list[int], restarts: bool
) -> None:
    def new() -> Operator:
        return window_operator(window(size, slide))

    given_ = run(new, [[part] for part in cut(stream(tuples, END), clocks(steps))], restarts=restarts)
    for at in range(-8, END):
        assert contents(given_, at) == held(tuples, size, slide, at)


def test_a_tuple_is_told_when_it_leaves() -> None:
    # ts  1   4   4                       [RANGE 3]: from ts up to, but without, ts + 3
    (given_,) = run(
        lambda: window_operator(window(3)), [[stream([((1, "a"), 1), ((2, "a"), 4), ((1, "a"), 4)], 4)]]
    )
    assert events([given_]) == [((1, "a"), 1, 4, 1), ((2, "a"), 4, 7, 1), ((1, "a"), 4, 7, 1)]


def test_now_is_one_microsecond() -> None:
    (given_,) = run(lambda: window_operator(window(1)), [[stream([((1, "a"), 5)], 9)]])
    assert events([given_]) == [((1, "a"), 5, 6, 1)]


def test_tuples_wait_for_the_window_to_move() -> None:
    # moves at  0     4     8     12          [RANGE 8 SLIDE 4]
    # tuples     1  3 4   7
    tuples: Tuples = [((1, ""), 1), ((3, ""), 3), ((4, ""), 4), ((7, ""), 7)]
    calls = [[part] for part in cut(stream(tuples, 8), [3, 5])]
    first, second, third = run(lambda: window_operator(window(8, 4)), calls)
    assert events([first]) == []
    assert events([second]) == [((1, ""), 4, 12, 1), ((3, ""), 4, 12, 1), ((4, ""), 4, 12, 1)]
    assert events([third]) == [((7, ""), 8, 16, 1)]


def test_a_window_shorter_than_its_slide_never_sees_some_tuples() -> None:
    # moves at  0         5         10        [RANGE 2 SLIDE 5] holds (3, 5] from 5 on, (8, 10] from 10
    tuples: Tuples = [((ts, ""), ts) for ts in range(1, 11)]
    given_ = run(lambda: window_operator(window(2, 5)), [[stream(tuples, 10)]])
    assert events(given_) == [
        ((4, ""), 5, 10, 1),
        ((5, ""), 5, 10, 1),
        ((9, ""), 10, 15, 1),
        ((10, ""), 10, 15, 1),
    ]


@pytest.mark.parametrize(("size", "slide"), [(7, None), (7, 3), (NEVER, None), (NEVER, 3)])
def test_an_exposed_window_tells_its_end_in_a_column_too(size: int, slide: int | None) -> None:
    node = window(size, slide, exposed="leaves")
    given_ = run(lambda: window_operator(node), [[stream([((1, "a"), 3)], 9)]])
    ((row, _, exp, _),) = events(given_)
    assert row == (1, "a", exp)
    assert given_[0].rows.schema.equals(node.schema.arrow)


def test_a_window_without_end_keeps_results_for_ever() -> None:
    (given_,) = run(lambda: window_operator(window(NEVER)), [[stream([((1, "a"), 3)], 9)]])
    assert window(NEVER).pattern is Pattern.MON
    assert given_.exp is None


def test_only_tuples_that_wait_are_remembered() -> None:
    operator = SlidingTimeWindow(window(10, 10))
    operator.on_deltas([stream([((1, "a"), 3)], 9)])
    assert operator.save()
    operator.on_deltas([stream([], 10)])
    assert not operator.save()


@pytest.mark.parametrize(
    ("size", "slide", "pattern", "lifetime"),
    [
        (10, None, Pattern.WKS, 10),
        (10, 5, Pattern.WKS, 10),
        (5, 10, Pattern.WKS, 10),
        (10, 4, Pattern.WKS, None),
        (NEVER, 4, Pattern.MON, None),
    ],
)
def test_lifetimes_are_equal_if_the_slide_divides_the_window(
    size: int, slide: int | None, pattern: Pattern, lifetime: int | None
) -> None:
    assert (window(size, slide).pattern, window(size, slide).lifetime) == (pattern, lifetime)


INSTANTS = st.integers(BEGINNING, NEVER)


@given(st.lists(INSTANTS, min_size=1, max_size=9), st.integers(1, NEVER))
def test_instants_do_not_run_over(ts: list[int], length: int) -> None:
    array = np.array(ts, np.int64)
    assert later(array, length).tolist() == [min(NEVER, each + length) for each in ts]
    assert slot(array, length).tolist() == [min(NEVER, -(-each // length) * length) for each in ts]
