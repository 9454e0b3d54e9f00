"""NOT EXISTS and EXISTS go above joins, so that these need not take negative tuples."""

from __future__ import annotations

import pytest

from tests.plan.building import having, join, lacking, named, window
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern
from windrow.plan.rules.pull_up_negation import pull_up_negation

X, Y = window("X"), named(window("Y"), d="a", e="b")
Z = named(window("Y"), z="a")


@pytest.mark.parametrize("half", [lacking, having])
def test_it_goes_above_the_join(half: type) -> None:
    below = join(half(X, Z, "b = z"), Y, "a = d")
    assert [*pull_up_negation(below)] == [half(join(X, Y, "a = d"), Z, "b = z")]


def test_the_join_below_is_weak_then() -> None:
    (node,) = pull_up_negation(join(X, lacking(Y, Z, "e = z"), "a = d"))
    assert node.inputs[0].pattern is Pattern.WK


def test_what_it_looks_at_is_carried_and_dropped_again() -> None:
    narrow = named(lacking(X, Z, "b = z", where="c < z"), k="a")
    below = join(narrow, Y, "k = d")
    (node,) = pull_up_negation(below)
    assert node.schema == below.schema
    (half,) = node.inputs
    assert half.label == "Negation"


def test_of_outer_joins_only_from_the_side_that_is_given_whole() -> None:
    half = lacking(X, Z, "b = z")
    assert [*pull_up_negation(join(half, Y, "a = d", kind="left"))]
    for kind in ("right", "full"):
        assert [*pull_up_negation(join(half, Y, "a = d", kind=kind))] == []


def two_with_the_same_name() -> Node:
    return join(lacking(X, named(window("Y"), d="a"), "b = d"), Y, "a = d")


def test_not_where_names_would_meet() -> None:
    assert [*pull_up_negation(two_with_the_same_name())] == []
