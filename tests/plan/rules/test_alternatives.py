"""An alternative means the same as the plan that it was made of, wherever it is applied.

Plans are compared by what they mean in SQL, as in `test_rules`. They are joins of all kinds, half joins and
DISTINCT above each other, in any order.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plan.random_plans import CLOCK, STREAMS, RandomPlan, random_tuples, so_far
from tests.plan.reference import answer_at
from tests.plan.running import answers, compiled, run_plan
from windrow.plan.nodes import Node, walk
from windrow.plan.rules.alternatives import ALTERNATIVES, everywhere
from windrow.plan.rules.optimizer import finish, simplify, tidy
from windrow.plan.stages import compile_plan


@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_alternatives_mean_the_same(chance: Random) -> None:
    check(chance)


@pytest.mark.slow
@settings(deadline=None, max_examples=1500, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_many_alternatives_mean_the_same(chance: Random) -> None:
    check(chance)


def check(chance: Random) -> None:
    written = RandomPlan(chance).joined(chance.randint(2, 4))
    streams = {name: random_tuples(chance) for name in STREAMS}
    expected = answer_at(written, CLOCK, streams)
    for plan in (written, simplify(written)):
        for rule in ALTERNATIVES:
            for other in _some(chance, [*everywhere(rule, plan)]):
                assert other.schema == plan.schema, rule.__name__
                assert answer_at(other, CLOCK, streams) == expected, rule.__name__
                tidied = tidy(other)
                assert answer_at(tidied, CLOCK, streams) == expected, rule.__name__
                compile_plan(finish(tidied))


def _some(chance: Random, plans: list[Node]) -> list[Node]:
    return chance.sample(plans, min(2, len(plans)))


@settings(deadline=None, max_examples=8, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_alternatives_run_to_the_same_answers(chance: Random) -> None:
    check_running(chance)


@pytest.mark.slow
@settings(deadline=None, max_examples=300, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_many_alternatives_run_to_the_same_answers(chance: Random) -> None:
    check_running(chance)


def check_running(chance: Random) -> None:
    """On operators, in some calls."""
    written = simplify(RandomPlan(chance, over=False).joined(chance.randint(2, 3)))
    streams = {name: random_tuples(chance) for name in STREAMS}
    clocks = sorted(chance.sample(range(CLOCK + 15), 3))
    seen = [{name: so_far(each, clock) for name, each in streams.items()} for clock in clocks]
    expected = [answer_at(written, *at) for at in zip(clocks, seen, strict=True)]
    for rule in ALTERNATIVES:
        for other in _some(chance, [*everywhere(rule, written)])[:1]:
            found = answers(run_plan(compiled(tidy(other)), streams, clocks))
            assert found == expected, rule.__name__


def test_plans_have_all_that_alternatives_are_about() -> None:
    applied = dict.fromkeys(ALTERNATIVES, 0)
    for seed in range(60):
        plan = RandomPlan(Random(seed)).joined(3)
        assert len(list(walk(plan))) > 4
        for rule in ALTERNATIVES:
            applied[rule] += len([*everywhere(rule, plan)])
    assert min(applied.values()) > 10
