from __future__ import annotations

import pytest

from tests.plan.samples import project, scan, select, sql
from windrow.plan.nodes import DistinctInstant, Project, Scan, Select, Union
from windrow.plan.rules.push_down_selection import push_down_selection
from windrow.plan.rules.substitution import is_volatile


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


@pytest.mark.parametrize(
    "call", ["random()", "uuid()", "now()", "current_date", "current_timestamp", "nextval('n')"]
)
def test_volatile_functions_are_known(call: str) -> None:
    assert is_volatile(sql(f"a = 1 OR {call} IS NULL"))


@pytest.mark.parametrize("call", ["a + 1", "upper(s)", "date_trunc('day', t)", "coalesce(a, b)"])
def test_other_functions_are_not(call: str) -> None:
    assert not is_volatile(sql(call))
