from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plan.building import distinct, grouped, last, stream
from tests.plan.random_plans import CLOCK, STREAMS, RandomPlan, random_tuples, so_far
from tests.plan.reference import answer_at
from windrow.plan.emitting import ToStream
from windrow.plan.nodes import Node
from windrow.plan.rules.restore_results import restore_results
from windrow.plan.windows import Extent, Window, WindowSpec


def restoring(node: Node) -> ToStream:
    return ToStream(node, "Istream", restore=True)


def test_the_output_takes_the_slide_from_the_windows() -> None:
    sliding, moving = (grouped(last(stream("X"), 10, slide), "a", n="count(*)") for slide in (5, None))
    assert restore_results(restoring(sliding)) == replace(restoring(moving), every=5)


def test_windows_of_the_streams_below_keep_theirs() -> None:
    below = ToStream(distinct(last(stream("X"), 10, 5)), "Istream")
    restored = restore_results(restoring(last(below, 8, 4)))
    assert restored == replace(restoring(last(below, 8)), every=4)


def test_what_is_not_restored_stays() -> None:
    plain = ToStream(last(stream("X"), 10, 5), "Istream")
    at_once = restoring(last(stream("X"), 10))
    assert (restore_results(plain), restore_results(at_once)) == (plain, at_once)


def sliding(node: Node, every: int) -> Node:
    """The plan over windows of time that all slide by one length."""
    if isinstance(node, Window):
        return Window(node.input, WindowSpec(Extent.TIME, node.spec.size, every))
    return node.over(*(sliding(each, every) for each in node.inputs))


@settings(deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_at_each_evaluation_the_answer_is_that_of_sliding_windows(chance: Random) -> None:
    every = chance.randint(2, 6)
    written = restoring(sliding(RandomPlan(chance).grown(chance.randint(0, 3)), every))
    restored = restore_results(written)
    assert isinstance(restored, ToStream)
    assert restored.every == every
    tuples = {name: random_tuples(chance) for name in STREAMS}
    for clock in range(0, CLOCK + 1, every):
        seen = {name: so_far(each, clock) for name, each in tuples.items()}
        assert answer_at(restored.input, clock, seen) == answer_at(written.input, clock, seen)
