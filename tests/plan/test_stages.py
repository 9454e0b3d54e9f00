from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings

from tests.plan.samples import COLUMNS, PLANS, delta, merged_calls, project, scan, select
from windrow.plan.exchange import Exchange, level
from windrow.plan.nodes import DistinctInstant, Node, Union
from windrow.plan.stages import RESULT, CompiledPlan, compile_plan

ROWS = [(2, 0, "u", 1), (3, 0, "x", 1), (3, 0, "x", 1)]


def test_a_plan_without_exchange_is_one_stage() -> None:
    compiled = compile_plan(select(scan("X"), "a = 1"))
    (stage,) = compiled.stages
    assert [(each.id, each.scan) for each in stage.inputs] == [("scan0", scan("X"))]
    assert [(each.id, each.to) for each in stage.outputs] == [(RESULT, None)]


def test_distinct_waits_for_an_exchange_by_its_columns() -> None:
    first, second = compile_plan(merged_calls()).stages
    assert [(each.id, str(each.to)) for each in first.outputs] == [("exchange0", "hash(a, b, s, t)")]
    assert [(each.id, each.scan) for each in second.inputs] == [("exchange0", None)]


def test_the_same_scan_is_read_once() -> None:
    compiled = compile_plan(Union((select(scan("X"), "a = 1"), select(scan("X"), "b = 1"))))
    assert [each.id for each in compiled.scans] == ["scan0"]


def test_what_lies_right_is_not_moved_again() -> None:
    compiled = compile_plan(DistinctInstant(select(DistinctInstant(scan("X")), "a = 1")))
    assert len(compiled.stages) == 2


@settings(deadline=None, max_examples=40)
@given(PLANS)
def test_every_exchange_leads_to_the_next_stage(plan: Node) -> None:
    compiled = compile_plan(plan)
    check_levels(compiled.node)
    for before, after in zip(compiled.stages, compiled.stages[1:], strict=False):
        assert {each.id for each in after.inputs} == {each.id for each in before.outputs}
    assert [each.id for each in compiled.stages[-1].outputs] == [RESULT]


def check_levels(node: Node) -> None:
    assert len({level(each) for each in node.inputs}) < 2
    if isinstance(node, Exchange):
        assert level(node) == level(node.input) + 1
    for each in node.inputs:
        check_levels(each)


def distinct() -> CompiledPlan:
    packed: CompiledPlan = pickle.loads(pickle.dumps(compile_plan(DistinctInstant(scan("X")))))
    return packed


def test_a_pickled_stage_continues_from_a_saved_state() -> None:
    first, second = distinct().stages[1].start(), distinct().stages[1].start()
    given_ = delta(ROWS).at(1)
    assert len(first.on_deltas({"exchange0": given_})[RESULT]) == 2
    second.restore(first.save())
    assert len(second.on_deltas({"exchange0": given_})[RESULT]) == 0


def test_failed_rows_are_told_once_with_their_stream() -> None:
    node = project(scan("X"), ("CAST(replace(s, 'u', '1') AS INTEGER)", "n", "INTEGER"))
    running = compile_plan(node).stages[0].start()
    given_ = running.on_deltas({"scan0": delta(ROWS)})[RESULT]
    assert (given_.rows.to_pydict(), given_.ts.tolist()) == ({"n": [1]}, [1])
    failures = running.take_failures().to_pylist()
    assert [each["stream"] for each in failures] == ["X", "X"]
    assert '"s":"x"' in failures[0]["input"]
    assert "Could not convert string 'x'" in failures[0]["reason"]
    assert running.take_failures().num_rows == 0


@pytest.mark.parametrize("rows", [ROWS, []], ids=["rows", "no rows"])
def test_the_clock_passes_through(rows: list[tuple[int, int, str, int]]) -> None:
    running = compile_plan(select(scan("X"), "a = 2")).stages[0].start()
    given_ = running.on_deltas({"scan0": delta(rows).at(77)})[RESULT]
    assert given_.clock == 77
    assert given_.rows.schema == COLUMNS.arrow
    assert given_.ts.dtype == np.int64
