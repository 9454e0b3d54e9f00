"""No rule changes an answer, neither its tuples nor their order nor its columns."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from tests.plan.samples import PLANS, STREAMS, answer
from windrow.delta import Delta
from windrow.plan.nodes import Node
from windrow.plan.rules.optimizer import RULES, optimize


@pytest.mark.parametrize("rule", [*RULES, optimize], ids=lambda rule: rule.__name__)
@settings(deadline=None, max_examples=40)
@given(PLANS, STREAMS, STREAMS)
def test_answers_stay_the_same(rule: Callable[[Node], Node], plan: Node, x: Delta, y: Delta) -> None:
    streams = {"X": x, "Y": y}
    before, after = answer(plan, streams), answer(rule(plan), streams)
    assert rule(plan).schema == plan.schema
    assert after.rows.to_pylist() == before.rows.to_pylist()
    assert after.ts.tolist() == before.ts.tolist()
