"""How far back the windows of a plan look."""

from __future__ import annotations

from tests.plan.building import grouped, join, last, named, newest, over, stream, window
from tests.plan.samples import select
from windrow.delta import NEVER
from windrow.plan.emitting import ToStream
from windrow.plan.grouping import Frame, Over
from windrow.plan.history import History, history, longest
from windrow.plan.nodes import Node
from windrow.plan.windows import Extent, OutputWindow, WindowSpec

X, Y = stream("X").stream, stream("Y").stream


def looks_back(node: Node) -> History:
    return history(node)[X]


def test_a_stream_without_a_window_needs_no_past() -> None:
    assert looks_back(select(stream("X"), "a = 1")) == History()
    assert looks_back(last(stream("X"), NEVER)) == History()
    unbounded = Over(stream("X"), (), (), (), Frame(Extent.TIME, None))
    assert looks_back(unbounded) == History()


def test_a_window_holds_what_it_is_long() -> None:
    assert looks_back(grouped(last(stream("X"), 10), "a", n="count(*)")) == History(time=10)
    assert looks_back(newest(stream("X"), 7, "a")) == History(tuples=7)


def test_a_window_that_slides_looks_back_from_its_last_move() -> None:
    assert looks_back(last(stream("X"), 10, slide=3)) == History(time=13)
    assert looks_back(newest(stream("X"), 7, slide=2)) == History(tuples=9)


def test_a_frame_holds_the_tuple_itself_and_those_before_it() -> None:
    assert looks_back(over(stream("X"), 10, n="count(*)")) == History(time=11)
    assert looks_back(over(stream("X"), 10, extent=Extent.COUNT, n="count(*)")) == History(tuples=11)


def test_of_several_windows_the_longest_counts() -> None:
    both = join(last(stream("X"), 10), named(last(stream("X"), 20), x="a"), "a = x")
    assert looks_back(both) == History(time=20)
    mixed = join(newest(stream("X"), 5), named(last(window("X").input, 2), x="a"), "a = x")
    assert looks_back(mixed) == History(time=2, tuples=5)


def test_a_window_over_results_of_a_window_adds_up() -> None:
    results = ToStream(grouped(last(stream("X"), 10), "a", n="count(*)"), "Istream")
    assert looks_back(OutputWindow(results, WindowSpec(Extent.TIME, 30))) == History(time=40)


def test_each_stream_has_its_own() -> None:
    both = join(last(stream("X"), 10), named(last(stream("Y"), 20), x="a"), "a = x")
    assert history(both) == {X: History(time=10), Y: History(time=20)}
    assert longest([history(both), {Y: History(time=5, tuples=3)}]) == {
        X: History(time=10),
        Y: History(time=20, tuples=3),
    }
