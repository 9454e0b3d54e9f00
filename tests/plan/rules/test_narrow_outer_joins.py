from __future__ import annotations

import pytest

from tests.plan.building import Kind, join, named, window
from tests.plan.samples import select
from windrow.catalog import Relation
from windrow.plan.joins import Join, RelationJoin, RelationScan
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern
from windrow.plan.rules.narrow_outer_joins import narrow_outer_joins
from windrow.schema import Schema

RIGHT = named(window("Y"), x="a", y="b")


def outer(kind: Kind) -> Join:
    return join(window("X"), RIGHT, "a = x", kind=kind)


def narrowed(node: Node) -> str:
    below = narrow_outer_joins(node).inputs[0]
    assert isinstance(below, Join | RelationJoin)
    return below.kind


@pytest.mark.parametrize(
    ("kind", "predicate", "becomes"),
    [
        ("left", "y > 1", "inner"),
        ("left", "b > 1", "left"),
        ("right", "b > 1", "inner"),
        ("full", "y > 1", "right"),
        ("full", "b > 1", "left"),
        ("full", "b > 1 AND y > 1", "inner"),
        ("full", "b = y", "inner"),
    ],
)
def test_lonely_tuples_that_are_dropped_are_not_given(kind: Kind, predicate: str, becomes: str) -> None:
    assert narrowed(select(outer(kind), predicate)) == becomes


@pytest.mark.parametrize(
    "predicate", ["y + 1 < c", "y IS NOT NULL", "(-y) IN (1, 2)", "y BETWEEN 1 AND 2", "NOT (y IS NULL)"]
)
def test_predicates_that_are_not_true_of_null_are_known(predicate: str) -> None:
    assert narrowed(select(outer("left"), predicate)) == "inner"


@pytest.mark.parametrize(
    "predicate",
    ["y IS NULL", "coalesce(y, 1) = 1", "y = 1 OR a = 1", "y IS DISTINCT FROM 1", "NOT (y = 1 AND a = 1)"],
)
def test_other_predicates_may_be_true_of_null(predicate: str) -> None:
    assert narrowed(select(outer("left"), predicate)) == "left"


def test_an_inner_join_takes_nothing_back() -> None:
    node = select(outer("left"), "y > 1")
    assert (node.pattern, narrow_outer_joins(node).pattern) == (Pattern.STR, Pattern.WK)


def test_joins_with_relations_become_inner_too() -> None:
    columns = Schema.of(("x", "BIGINT"), ("y", "BIGINT"))
    relation = RelationScan(Relation("T", columns), columns.names)
    outer_join = RelationJoin(window("X"), relation, (("a", "x"),), None, "left")
    assert narrowed(select(outer_join, "y > 1")) == "inner"
    assert narrowed(select(outer_join, "b > 1")) == "left"
