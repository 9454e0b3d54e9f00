"""NOT EXISTS and EXISTS go below joins, to the side that they look at."""

from __future__ import annotations

import pytest

from tests.plan.building import having, join, lacking, named, shape, top, window
from tests.plan.samples import project, select
from windrow.plan.joins import Join
from windrow.plan.nodes import Node
from windrow.plan.rules.push_down_negation import push_down_negation

X, Y = window("X"), named(window("Y"), d="a", e="b")
Z = named(window("Y"), z="a")


@pytest.mark.parametrize("half", [lacking, having])
def test_it_goes_to_the_side_that_it_looks_at(half: type) -> None:
    above = join(X, Y, "a = d")
    assert [*push_down_negation(half(above, Z, "b = z"))] == [join(half(X, Z, "b = z"), Y, "a = d")]
    assert [*push_down_negation(half(above, Z, "e = z"))] == [join(X, half(Y, Z, "e = z"), "a = d")]


def test_not_where_it_looks_at_both_sides() -> None:
    above = join(X, Y, "a = d")
    assert [*push_down_negation(lacking(above, Z, "b = z", "e = z"))] == []
    assert [*push_down_negation(lacking(above, Z, "b = z", where="e < z"))] == []


def test_a_condition_goes_with_it() -> None:
    above = join(X, Y, "a = d")
    below = join(lacking(X, Z, "b = z", where="c < z"), Y, "a = d")
    (found,) = push_down_negation(lacking(above, Z, "b = z", where="c < z"))
    assert shape(found) == shape(below)


def test_through_a_projection_it_takes_what_columns_stand_for() -> None:
    above = project(join(X, Y, "a = d"), ("b + 1", "n", "BIGINT"), ("e", "e", "BIGINT"))
    (below,) = push_down_negation(lacking(above, Z, "n = z"))
    assert below.schema == above.schema
    (joined,) = below.inputs
    assert isinstance(joined, Join)
    assert joined.left.schema == X.schema


def test_of_outer_joins_only_to_the_side_that_is_given_whole() -> None:
    lonely = join(X, Y, "a = d", kind="left")
    assert [*push_down_negation(lacking(lonely, Z, "b = z"))] == [
        join(lacking(X, Z, "b = z"), Y, "a = d", kind="left")
    ]
    assert [*push_down_negation(lacking(lonely, Z, "e = z"))] == []
    assert [*push_down_negation(lacking(join(X, Y, "a = d", kind="full"), Z, "b = z"))] == []


def test_one_that_looks_at_nothing_does_so_too() -> None:
    lonely = join(X, Y, "a = d", kind="right")
    assert [*push_down_negation(lacking(lonely, Z))] == [join(X, lacking(Y, Z), "a = d", kind="right")]


def test_half_joins_change_places() -> None:
    node = having(lacking(X, Z, "a = z"), Y, "b = d")
    assert [*push_down_negation(node)] == [lacking(having(X, Y, "b = d"), Z, "a = z")]


@pytest.mark.parametrize(
    "node",
    [
        pytest.param(lacking(select(X, "a > 1"), Z, "a = z"), id="nothing below to save"),
        pytest.param(lacking(top(X, 3, "a"), Z, "a = z"), id="the first so many are others then"),
        pytest.param(
            lacking(project(join(X, Y, "a = d"), ("random()", "n", "BIGINT")), Z, "n = z"), id="random"
        ),
        pytest.param(
            lacking(join(X, named(window("Y"), z="a"), "a = z"), named(Z, y="z"), "b = y"), id="fits"
        ),
    ],
)
def test_elsewhere_it_stays(node: Node) -> None:
    found = [*push_down_negation(node)]
    assert found == [] or all(each.schema == node.schema for each in found)
