from __future__ import annotations

from random import Random

from sqlglot import exp

from tests.plan.building import window
from tests.plan.random_plans import RandomPlan
from windrow.plan.emitting import InOrder
from windrow.plan.nodes import Node
from windrow.plan.rules.forget_order import forget_order


def in_order(node: Node) -> InOrder:
    return InOrder(node, (exp.Ordered(this=exp.column(node.schema.names[0], quoted=True)),))


def ordered_below(node: Node) -> Node:
    """The plan with the results of every step but the last in some order."""
    return node.over(*(in_order(ordered_below(each)) for each in node.inputs))


def test_the_order_of_the_whole_answer_stays() -> None:
    assert forget_order(in_order(window("X"))) == in_order(window("X"))


def test_without_any_other_a_plan_is_what_it_was() -> None:
    for seed in range(40):
        plan = RandomPlan(Random(seed)).grown(3)
        assert forget_order(ordered_below(plan)) == plan
        assert forget_order(in_order(ordered_below(plan))) == in_order(plan)
