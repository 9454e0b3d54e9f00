"""A step that needs all tuples together gives nothing away from home."""

from __future__ import annotations

import pytest

from tests.plan.building import grouped, join, named, newest, stream, window
from windrow.delta import Delta
from windrow.operators.elsewhere import Elsewhere
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern
from windrow.plan.stages import RESULT, compile_plan
from windrow.runtime.state import MemoryState, Places

CROSS = join(window("X"), named(window("Y"), x="a"))
ALL = grouped(window("X"), n="count(*)")


@pytest.mark.parametrize("node", [CROSS, ALL, newest(stream("X"), 3)], ids=lambda node: node.label)
def test_it_gives_nothing_as_the_pattern_says_and_keeps_the_clock(node: Node) -> None:
    some = Delta.empty(7, node.inputs[0].schema.arrow)
    given = Elsewhere(node).on_deltas([some] * len(node.inputs))
    assert (given.clock, len(given), given.rows.schema) == (7, 0, node.schema.arrow)
    assert (given.sign is not None) == (node.pattern is Pattern.STR)
    assert (given.exp is not None) == (node.pattern in (Pattern.WKS, Pattern.WK))


def test_only_the_first_bucket_is_home() -> None:
    stage = compile_plan(CROSS).stages[1]
    nothing = {each.id: Delta.empty(7, each.schema.arrow) for each in stage.inputs}
    places = Places(lambda _: MemoryState())
    with places.place("q", 1, 1).at(1, lambda: stage.start(home=False)) as elsewhere:
        assert len(elsewhere.on_deltas(nothing)[RESULT]) == 0
    assert set(elsewhere.save()) == set()
