"""What a plan does in a second, against figures that are worked out by hand or by drawing at random."""

from __future__ import annotations

from random import Random

import pytest

from tests.plan.building import (
    distinct,
    grouped,
    having,
    join,
    lacking,
    last,
    named,
    newest,
    over,
    stream,
    top,
)
from tests.plan.samples import select
from windrow.plan import emitting, grouping, joins, multisets, nodes, windows
from windrow.plan.estimates import ESTIMATES, Estimate, Estimator, absent, there
from windrow.plan.exchange import Exchange
from windrow.plan.expiration import Expire
from windrow.plan.joins import Join
from windrow.plan.nodes import Leaf, Node
from windrow.plan.patterns import Pattern
from windrow.plan.rules.tell_changes import tell_changes
from windrow.plan.statistics import Observed, Statistics

SECOND = 1_000_000
KNOWN = Statistics.of(
    x=Observed(10.0, values=(("a", 50.0), ("b", 5.0))), y=Observed(2.0, values=(("a", 20.0),))
)


def estimate(node: Node) -> Estimate:
    return Estimator(KNOWN).of(node)


def figures(node: Node) -> tuple[float, ...]:
    found = estimate(node)
    return tuple(round(each, 3) for each in (found.rate, found.live, found.negatives, found.state))


def x(seconds: int = 100) -> Node:
    return last(stream("X"), seconds * SECOND)


def y(seconds: int = 100) -> Node:
    return named(last(stream("Y"), seconds * SECOND), d="a", e="b")


@pytest.mark.parametrize(
    ("node", "rate", "live", "negatives", "state"),
    [
        pytest.param(x(), 10, 1000, 0, 0, id="a window of time tells only when tuples end"),
        pytest.param(newest(stream("X"), 7), 10, 7, 10, 7, id="one of so many tells every end"),
        pytest.param(newest(stream("X"), 7, "b"), 10, 35, 10, 35, id="by value"),
        pytest.param(last(stream("X"), 5 * SECOND, 10 * SECOND), 10, 100, 0, 100, id="tumbling"),
        pytest.param(select(x(), "b = 1"), 2, 200, 0, 0, id="selection"),
        pytest.param(join(x(), y(), "a = d"), 80, 4000, 0, 1200, id="join: φ = 1000 · 200 / 50"),
        pytest.param(grouped(x(), "b", n="count(*)"), 20, 5, 20, 1005, id="groups"),
        pytest.param(grouped(x(), n="count(*)"), 20, 1, 20, 1001, id="one group"),
        pytest.param(top(x(), 5, "a"), 0.1, 5, 0.1, 1000, id="the first five"),
        pytest.param(tell_changes(x()), 10, 1000, 10, 1000, id="changes"),
        pytest.param(distinct(named(x(), b="b")), 0.05, 5, 0, 10, id="DISTINCT keeps two of each"),
        pytest.param(
            over(stream("X"), 60 * SECOND, "b", m="max(a)"), 10, 864_000, 0, 600, id="OVER keeps its frame"
        ),
    ],
)
def test_figures(node: Node, rate: float, live: float, negatives: float, state: float) -> None:
    assert figures(node) == pytest.approx((rate, live, negatives, state), rel=0.01)


def test_a_negation_gives_what_has_no_partner() -> None:
    """50 values, and 20 tuples that say which are there: 50 · (1 - 1/50)^20 are not."""
    found, lonely = estimate(lacking(x(), y(10), "a = d")), absent(50, 20)
    assert found.live == pytest.approx(1000 * lonely)
    assert found.rate == found.negatives == pytest.approx(10 * lonely + 2 * lonely * 1000 / 50)
    assert found.state == pytest.approx(1000 + 50 * (1 - lonely))
    assert estimate(having(x(), y(10), "a = d")).live == pytest.approx(1000 * (1 - lonely))
    assert estimate(lacking(newest(stream("X"), 1000), y(10), "a = d")).state == 1020


def test_what_comes_up_in_draws() -> None:
    chance = Random(5)
    drawn = [len({chance.randrange(40) for _ in range(60)}) for _ in range(400)]
    assert there(40, 60) == pytest.approx(sum(drawn) / len(drawn), rel=0.02)
    assert (there(1, 5), there(1, 0)) == (1, 0)


def test_distinct_over_negative_tuples_counts_each_value_once() -> None:
    found = estimate(distinct(named(newest(stream("X"), 100), b="b")))
    assert (found.live, found.state) == (pytest.approx(5), pytest.approx(5))


def test_every_kind_of_step_has_an_estimate() -> None:
    modules = (emitting, grouping, joins, multisets, nodes, windows)
    kinds = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    steps = {each for each in kinds if issubclass(each, Node) and "label" in vars(each)}
    leaves = {each for each in steps if issubclass(each, Leaf)}
    assert set(ESTIMATES) == steps - leaves | {Exchange, Expire}


def test_nothing_is_negative_or_endless() -> None:
    plan: Node = join(lacking(x(), y(), "a = d"), named(newest(stream("X"), 3), f="a"), "a = f")
    assert plan.pattern is Pattern.STR
    assert isinstance(plan, Join)
    for node in nodes.walk(tell_changes(grouped(plan, "b", n="count(*)"))):
        found = estimate(node)
        assert all(0 <= each < 1e15 for each in (found.rate, found.live, found.negatives, found.state))
