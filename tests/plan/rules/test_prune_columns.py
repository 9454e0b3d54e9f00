from __future__ import annotations

from tests.plan.samples import project, scan, select
from windrow.plan.nodes import DistinctInstant, Node, Project, Union, scans
from windrow.plan.rules.prune_columns import prune_columns


def read(node: Node) -> list[tuple[str, ...]]:
    return [each.columns for each in scans(prune_columns(node))]


def test_a_scan_reads_what_is_used_and_not_the_timestamp() -> None:
    assert read(project(select(scan("X"), "S = 'u'"), ("b + 1", "c", "BIGINT"))) == [("b", "s")]


def test_the_answer_keeps_all_its_columns() -> None:
    assert prune_columns(select(scan("X"), "a = 1")) == select(scan("X"), "a = 1")


def test_rows_without_columns_keep_a_cheap_one() -> None:
    assert read(project(scan("X"), ("1", "one", "INTEGER"))) == [("a",)]


def test_an_expression_that_nobody_uses_is_not_computed() -> None:
    inner = project(scan("X"), ("a", "a", "BIGINT"), ("upper(s)", "big", "VARCHAR"))
    pruned = prune_columns(project(inner, ("a + 1", "c", "BIGINT")))
    assert pruned.inputs[0].detail == "a"


def test_branches_of_a_union_keep_the_same_places() -> None:
    union = Union((select(scan("X"), "s = 'u'"), scan("Y")))
    node = project(union, ("b", "b", "BIGINT"))
    assert read(node) == [("b", "s"), ("b",)]
    left = prune_columns(node).inputs[0].inputs[0]
    assert isinstance(left, Project)
    assert left.schema.names == ("b",)


def test_distinct_needs_all_columns() -> None:
    node = project(DistinctInstant(scan("X")), ("a", "a", "BIGINT"))
    assert read(node) == [("a", "b", "s", "t")]
