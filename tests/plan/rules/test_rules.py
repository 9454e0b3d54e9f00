"""No rule changes an answer, neither its tuples nor its columns, nor the order of those of a stream.

Plans over streams run on operators, before and after. Plans over windows are compared by what they mean
in SQL, at several instants: so this holds whatever the operators do.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plan.random_plans import CLOCK, RandomPlan, random_tuples, so_far
from tests.plan.random_plans import STREAMS as TABLES
from tests.plan.reference import answer_at
from tests.plan.samples import PLANS, STREAMS, answer
from windrow.delta import Delta
from windrow.plan.nodes import Node
from windrow.plan.rules.optimizer import RULES, optimize
from windrow.plan.stages import compile_plan

Rule: TypeAlias = Callable[[Node], Node]


@pytest.mark.parametrize("rule", [*RULES, optimize], ids=lambda rule: rule.__name__)
@settings(deadline=None, max_examples=40)
@given(PLANS, STREAMS, STREAMS)
def test_answers_stay_the_same(rule: Rule, plan: Node, x: Delta, y: Delta) -> None:
    streams = {"X": x, "Y": y}
    before, after = answer(plan, streams), answer(rule(plan), streams)
    assert rule(plan).schema == plan.schema
    assert after.rows.to_pylist() == before.rows.to_pylist()
    assert after.ts.tolist() == before.ts.tolist()


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_answers_over_windows_stay_the_same(chance: Random) -> None:
    check_meaning(chance, depth=chance.randint(1, 4))


@pytest.mark.slow
@settings(deadline=None, max_examples=1500, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_answers_of_deeper_plans_stay_the_same(chance: Random) -> None:
    check_meaning(chance, depth=chance.randint(2, 6))


def check_meaning(chance: Random, depth: int) -> None:
    """Each rule by itself on the plan, and one after another."""
    plan = RandomPlan(chance).grown(depth)
    clock = chance.choice([CLOCK, chance.randint(0, CLOCK)])
    streams = {name: so_far(random_tuples(chance), clock) for name in TABLES}
    expected = answer_at(plan, clock, streams)
    optimised = plan
    for rule in RULES:
        before, optimised = optimised, rule(optimised)
        for rewritten in {rule(plan), optimised} - {plan, before}:
            assert rewritten.schema == plan.schema, rule.__name__
            assert answer_at(rewritten, clock, streams) == expected, rule.__name__
            compile_plan(rewritten)
