from __future__ import annotations

from tests.plan.samples import COLUMNS, project, scan
from windrow.plan.nodes import Node, Scan
from windrow.plan.rules.merge_projections import merge_projections


def test_two_projections_become_one() -> None:
    inner = project(scan("X"), ("a + 1", "c", "BIGINT"), ("b", "b", "BIGINT"))
    merged = merge_projections(project(inner, ("c * b", "d", "BIGINT")))
    assert merged.detail == "(a + 1) * b AS d"
    assert isinstance(merged.inputs[0], Scan)


def test_a_projection_that_changes_nothing_goes() -> None:
    same = project(scan("X"), *((field.name, field.name, field.type) for field in COLUMNS))
    assert merge_projections(same) == scan("X")


def test_a_projection_that_renames_stays() -> None:
    node = project(scan("X"), ("a", "b", "BIGINT"))
    assert merge_projections(node) == node


def test_what_differs_each_time_is_asked_once() -> None:
    inner = project(scan("X"), ("random()", "dice", "DOUBLE"))
    node = project(inner, ("dice + dice", "two", "DOUBLE"))
    assert merge_projections(node) == node


def test_doubling_has_a_limit() -> None:
    node: Node = scan("X")
    for _ in range(40):
        node = project(node, ("a + a", "a", "BIGINT"))
    merged = merge_projections(node)
    assert merged.schema == node.schema
    assert len(merged.detail) < 5000
