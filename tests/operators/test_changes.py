"""The reference replays the answer: at each instant the changes add up to what is live then."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.operators.streams import (
    CLOCK_STEPS,
    COLUMNS,
    ROWS,
    TUPLES,
    Row,
    Tuples,
    clocks,
    contents,
    cut,
    edge,
    events,
    living,
    run,
    signed,
)
from windrow.delta import NEVER, Delta
from windrow.operators.base import Operator
from windrow.operators.changes import ChangesOperator
from windrow.plan.emitting import Changes
from windrow.plan.patterns import Pattern

END = 60
LIVES = st.lists(st.one_of(st.integers(1, 20), st.just(NEVER)), min_size=30, max_size=30)
Living = list[tuple[Row, int, int]]


def changes(pattern: Pattern) -> Operator:
    return ChangesOperator(Changes(edge(pattern)))


def replayed(whole: Delta, steps: list[int], pattern: Pattern, restarts: bool) -> list[Delta]:
    calls = [[part] for part in cut(whole, clocks(steps))]
    return run(lambda: changes(pattern), calls, restarts=restarts)


def check_balanced(given_: list[Delta]) -> None:
    """Within a call, no instant gives a row and takes an equal one away, and ends come first."""
    for delta in given_:
        signs: dict[tuple[Row, int], set[int]] = {}
        for row, ts, _, sign in events([delta]):
            signs.setdefault((row, ts), set()).add(sign)
        assert all(len(both) == 1 for both in signs.values())
        order = [(ts, sign) for _, ts, _, sign in events([delta])]
        assert order == sorted(order)


@settings(deadline=None)
@given(TUPLES, st.integers(1, 12), CLOCK_STEPS, st.booleans())
def test_tuples_that_live_equally_long(
    tuples: Tuples, lifetime: int, steps: list[int], restarts: bool
) -> None:
    live = [(row, ts, ts + lifetime) for row, ts in tuples]
    check_ends(live, Pattern.WKS, steps, restarts)


@settings(deadline=None)
@given(TUPLES, LIVES, CLOCK_STEPS, st.booleans())
def test_tuples_that_live_unequally_long(
    tuples: Tuples, lives: list[int], steps: list[int], restarts: bool
) -> None:
    ends = zip(tuples, lives, strict=False)
    live = [(row, ts, NEVER if life == NEVER else ts + life) for (row, ts), life in ends]
    check_ends(live, Pattern.WK, steps, restarts)


def check_ends(live: Living, pattern: Pattern, steps: list[int], restarts: bool) -> None:
    given_ = replayed(living(live, END), steps, pattern, restarts)
    assert all(delta.sign is not None for delta in given_)
    for at in range(-8, END):
        assert contents(given_, at) == Counter(row for row, ts, exp in live if ts <= at < exp)
    check_balanced(given_)


@st.composite
def signed_tuples(draw: st.DrawFn) -> Living:
    """Tuples that come and go, each after it came."""
    told: Living = []
    for row, came in draw(st.lists(st.tuples(ROWS, st.integers(0, 9)), max_size=20)):
        told.append((row, came, +1))
        if draw(st.booleans()):
            told.append((row, came + draw(st.integers(0, 5)), -1))
    return sorted(told, key=lambda each: each[1])


@settings(deadline=None)
@given(signed_tuples(), CLOCK_STEPS)
def test_negative_tuples_pass(told: Living, steps: list[int]) -> None:
    given_ = replayed(signed(told, END), steps, Pattern.STR, restarts=False)
    for at in range(-8, END):
        wanted: Counter[Row] = Counter()
        for row, ts, sign in told:
            wanted[row] += sign * (ts <= at)
        assert contents(given_, at) == +wanted
    check_balanced(given_)


def test_a_row_that_leaves_as_an_equal_one_enters_is_not_told() -> None:
    # ts                                        1        2        3
    live: Living = [((1, "a"), 1, 3), ((2, "b"), 2, 3), ((1, "a"), 3, 9)]
    (given_,) = run(lambda: changes(Pattern.WK), [[living(live, 5)]])
    assert [(row, ts, sign) for row, ts, _, sign in events([given_])] == [
        ((1, "a"), 1, +1),
        ((2, "b"), 2, +1),
        ((2, "b"), 3, -1),
    ]


@pytest.mark.parametrize("pattern", [Pattern.WKS, Pattern.WK])
def test_an_empty_call_that_says_nothing_of_ends_moves_the_clock(pattern: Pattern) -> None:
    operator = changes(pattern)
    operator.on_deltas([living([((1, "a"), 1, 5)], 4)])
    assert len(operator.on_deltas([Delta.empty(5, COLUMNS.arrow)])) == 1


@pytest.mark.parametrize("pattern", [Pattern.WKS, Pattern.WK])
def test_what_has_ended_is_forgotten(pattern: Pattern) -> None:
    operator = changes(pattern)
    operator.on_deltas([living([((1, "a"), 1, 5), ((1, "a"), 2, NEVER)], 4)])
    assert operator.save()
    operator.on_deltas([living([], 5)])
    assert not operator.save()


def test_nothing_is_remembered_of_negative_tuples() -> None:
    operator = changes(Pattern.STR)
    operator.on_deltas([signed([((1, "a"), 1, +1)], 1)])
    assert not operator.save()
