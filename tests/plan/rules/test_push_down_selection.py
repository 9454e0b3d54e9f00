from __future__ import annotations

import pytest

from tests.plan.building import (
    Kind,
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
    window,
)
from tests.plan.samples import project, scan, select, sql
from windrow.plan.emitting import ToStream
from windrow.plan.joins import Join
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import DistinctInstant, Node, Project, Scan, Select, Union, walk
from windrow.plan.rules.push_down_selection import push_down_selection
from windrow.plan.rules.substitution import is_volatile
from windrow.plan.windows import Window


def test_two_selections_become_one_and_the_first_stays_first() -> None:
    pushed = push_down_selection(select(select(scan("X"), "a > 1 OR b > 1"), "s = 'u'"))
    assert pushed.detail == "(a > 1 OR b > 1) AND s = 'u'"
    assert isinstance(pushed.inputs[0], Scan)


def test_through_a_projection_the_predicate_asks_for_what_was_computed() -> None:
    pushed = push_down_selection(select(project(scan("X"), ("a + 1", "c", "BIGINT")), "c * 2 > 4"))
    assert isinstance(pushed, Project)
    assert pushed.input.detail == "(a + 1) * 2 > 4"


def test_a_cast_that_a_projection_applies_is_applied_below_it_too() -> None:
    pushed = push_down_selection(select(project(scan("X"), ("a / 2", "half", "BIGINT")), "half = 2"))
    assert pushed.inputs[0].detail == "CAST(a / 2 AS BIGINT) = 2"


def test_what_differs_each_time_stays_where_it_is() -> None:
    node = select(project(scan("X"), ("random()", "dice", "DOUBLE")), "dice < 0.5")
    assert push_down_selection(node) == node
    node = select(select(scan("X"), "random() < 0.5"), "a = 1")
    assert push_down_selection(node) == node


def test_into_each_branch_of_a_union_by_position() -> None:
    left = project(scan("X"), ("a", "n", "BIGINT"), ("b", "m", "BIGINT"))
    right = project(scan("Y"), ("b", "m", "BIGINT"), ("a", "n", "BIGINT"))
    pushed = push_down_selection(select(Union((left, right)), "n = 1"))
    assert isinstance(pushed, Union)
    assert [branch.inputs[0].detail for branch in pushed.branches] == ["a = 1", "b = 1"]


def test_through_distinct() -> None:
    pushed = push_down_selection(select(DistinctInstant(scan("X")), "a = 1"))
    assert isinstance(pushed, DistinctInstant)
    assert isinstance(pushed.input, Select)


def kept_above(node: Node, predicate: str) -> bool:
    """Whether a selection stays on top of a node."""
    return push_down_selection(select(node, predicate)) == select(node, predicate)


def selections(node: Node) -> list[str]:
    return [each.detail for each in walk(node) if isinstance(each, Select)]


def below(node: Node, predicate: str) -> list[str]:
    """What is selected below a node after a selection above it has sunk."""
    pushed = push_down_selection(select(node, predicate))
    assert not isinstance(pushed, Select)
    return selections(pushed)


def test_through_a_window_of_time_but_not_of_tuples() -> None:
    assert below(last(stream("X"), 10, slide=5), "a = 1") == ["a = 1"]
    assert kept_above(newest(stream("X"), 10), "a = 1")


def test_a_window_of_tuples_by_value_loses_whole_values() -> None:
    assert below(newest(stream("X"), 10, "a", "b"), "a = b") == ["a = b"]
    assert kept_above(newest(stream("X"), 10, "a"), "b = 1")
    assert kept_above(newest(stream("X"), 10, "a", slide=2), "a = 1")


def test_the_parts_of_a_predicate_go_each_its_way() -> None:
    both = join(window("X"), named(window("Y"), x="a", y="b"), "a = x")
    pushed = push_down_selection(select(both, "b > 1 AND b + y = 3 AND y < 2"))
    assert selections(pushed) == ["b + y = 3", "b > 1", "b < 2"]
    assert [type(each) for each in walk(pushed)][:3] == [Select, Join, Window]


def test_what_is_known_of_a_key_is_known_on_both_sides() -> None:
    right = named(window("Y"), x="a", y="b")
    assert below(join(window("X"), right, "a = x"), "a = 1") == ["a = 1", "a = 1"]
    assert below(having(window("X"), right, "a = x"), "a = 1") == ["a = 1", "a = 1"]
    assert below(lacking(window("X"), right, "a = x"), "a = 1") == ["a = 1", "a = 1"]


def test_not_in_needs_the_nulls_of_the_other_side() -> None:
    right = named(window("Y"), x="a", y="b")
    assert below(lacking(window("X"), right, "a = x", not_in=True), "a = 1") == ["a = 1"]


def test_equal_numbers_with_a_point_may_not_be_the_same() -> None:
    left = project(window("X"), ("a", "p", "DOUBLE"))
    right = project(window("Y"), ("a", "q", "DOUBLE"))
    assert len(below(join(left, right, "p = q"), "1 / p > 0")) == 1


@pytest.mark.parametrize(
    ("kind", "predicate", "sinks"),
    [
        ("left", "b = 1", ["b = 1"]),
        ("left", "a = 1", ["a = 1", "a = 1"]),
        ("left", "y = 1", None),
        ("left", "x IS NULL", None),
        ("right", "y = 1", ["b = 1"]),
        ("right", "b = 1", None),
        ("full", "b = 1", None),
        ("full", "a = 1", None),
    ],
)
def test_into_the_side_of_an_outer_join_whose_tuples_are_all_there(
    kind: Kind, predicate: str, sinks: list[str] | None
) -> None:
    both = join(window("X"), named(window("Y"), x="a", y="b"), "a = x", kind=kind)
    assert kept_above(both, predicate) if sinks is None else below(both, predicate) == sinks


def test_into_groups_by_their_keys() -> None:
    counts = grouped(window("X"), "a", n="count(*)")
    assert below(counts, "a > 1") == ["a > 1"]
    assert kept_above(counts, "n > 1")
    assert kept_above(grouped(window("X"), n="count(*)"), "1 = 0")


def test_into_the_partitions_of_over() -> None:
    sums = over(stream("X"), 10, "a", n="count(*)")
    assert below(sums, "a > 1") == ["a > 1"]
    assert kept_above(sums, "b > 1")
    assert kept_above(sums, "n > 1")


def test_through_set_operations_on_both_sides() -> None:
    right = named(window("Y"), x="b", y="a", z="c")
    for node in (Intersect(window("X"), right, True), Except(window("X"), right, False)):
        assert below(node, "a > 1") == ["a > 1", "b > 1"]


def test_not_below_the_first_so_many() -> None:
    assert kept_above(top(window("X"), 3, "a"), "a > 1")


def test_into_a_stream_of_changes_but_not_of_whole_answers() -> None:
    assert below(ToStream(distinct(window("X")), "Istream"), "a > 1") == ["a > 1"]
    assert kept_above(ToStream(distinct(window("X")), "Rstream"), "a > 1")


def test_past_a_selection_that_cannot_sink() -> None:
    lonely = select(join(window("X"), named(window("Y"), x="a", y="b"), "a = x", kind="left"), "y IS NULL")
    assert selections(push_down_selection(select(lonely, "b = 1"))) == ["y IS NULL", "b = 1"]


@pytest.mark.parametrize(
    "call", ["random()", "uuid()", "now()", "current_date", "current_timestamp", "nextval('n')"]
)
def test_volatile_functions_are_known(call: str) -> None:
    assert is_volatile(sql(f"a = 1 OR {call} IS NULL"))


@pytest.mark.parametrize("call", ["a + 1", "upper(s)", "date_trunc('day', t)", "coalesce(a, b)"])
def test_other_functions_are_not(call: str) -> None:
    assert not is_volatile(sql(call))
