"""DISTINCT goes below joins, and below NOT EXISTS."""

from __future__ import annotations

from tests.plan.building import distinct, grouped, having, join, lacking, named, window
from tests.plan.samples import project
from windrow.plan.patterns import Pattern
from windrow.plan.rules.drop_distinct import drop_distinct
from windrow.plan.rules.push_down_distinct import push_down_distinct

X, Y = window("X"), named(window("Y"), d="a")


def test_to_each_side_of_a_join_and_to_both() -> None:
    assert [*push_down_distinct(distinct(join(X, Y, "a = d")))] == [
        distinct(join(distinct(X), Y, "a = d")),
        distinct(join(X, distinct(Y), "a = d")),
        distinct(join(distinct(X), distinct(Y), "a = d")),
    ]


def test_above_both_it_is_not_needed() -> None:
    both = join(distinct(X), distinct(Y), "a = d")
    assert drop_distinct(distinct(both)) == both


def test_above_a_projection_that_drops_columns_it_is() -> None:
    *_, both = push_down_distinct(distinct(named(join(X, Y, "a = d"), a="a")))
    assert drop_distinct(both) == both
    assert [each.label for each in (both, *both.inputs)] == ["Distinct", "Project"]


def test_below_a_negation_its_input_is_not_strict() -> None:
    for half in (lacking, having):
        (node,) = push_down_distinct(distinct(half(X, Y, "a = d")))
        dropped = drop_distinct(node)
        assert dropped == half(distinct(X), Y, "a = d")
        assert dropped.inputs[0].inputs[0].pattern is Pattern.WKS


def test_a_side_without_duplicates_is_left_alone() -> None:
    once = grouped(Y, "d", n="count(*)")
    assert [*push_down_distinct(distinct(join(X, once, "a = d")))] == [
        distinct(join(distinct(X), once, "a = d"))
    ]


def test_not_where_duplicates_are_told_apart() -> None:
    assert [*push_down_distinct(distinct(join(X, Y, "a = d", kind="left")))] == []
    random = project(join(X, Y, "a = d"), ("random()", "r", "DOUBLE"))
    assert [*push_down_distinct(distinct(random))] == []
    real = project(X, ("a / 2", "h", "DOUBLE"))
    assert [*push_down_distinct(distinct(having(real, Y, where="h < d")))] == []
