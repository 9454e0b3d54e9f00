"""Steps that are joined by queues: the answer is right at the clock that it is told with, however the time
gets to the steps, and right at the streams' clock where a heartbeat has told it to all.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plan.random_plans import CLOCK, STREAMS, random_tuples, runnable, so_far
from tests.plan.reference import answer_at
from tests.plan.running import answers, compiled, play
from windrow.delta import BEGINNING
from windrow.plan.expiration import Expiration
from windrow.plan.nodes import Node
from windrow.plan.running import RunningStage
from windrow.plan.stages import CompiledPlan
from windrow.runtime.queued.pace import Pace
from windrow.runtime.queued.stage import QueuedStage
from windrow.runtime.queued.telling import Telling

LATER = 100
"""All windows are empty by then."""


def started(plan: CompiledPlan, how: Expiration, pace: Pace) -> QueuedStage:
    _, working = plan.stages
    return QueuedStage(working.leaves, working.roots, Telling(how), pace)


def right(
    plan: Node, clocks: Sequence[int], streams: dict[str, pa.Table]
) -> list[list[tuple[object, ...]]]:
    """Plain SQL's answers; before anything is told there is none."""
    return [
        []
        if clock == BEGINNING
        else answer_at(plan, clock, {name: so_far(table, clock) for name, table in streams.items()})
        for clock in clocks
    ]


@pytest.mark.parametrize("how", Expiration, ids=lambda how: how.value)
@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.booleans())
def test_the_answer_is_right_at_the_instant_that_it_is_told_with(
    how: Expiration, seed: int, restarts: bool
) -> None:
    chance = Random(seed)
    plan = runnable(chance, 3)
    streams = {name: random_tuples(chance) for name in STREAMS}
    pace = Pace(chance.choice([1, 3, 8]), chance.choice([1, 4, 30]))
    ready = compiled(plan, how, gathered=True)
    clocks = [*sorted(chance.sample(range(CLOCK + 5), chance.randint(1, 4))), LATER]
    stages: list[RunningStage] = [ready.stages[0].start(), started(ready, how, pace)]
    told = []
    for delta in play(stages, ready, streams, clocks):
        told.append(delta)
        if restarts:
            state = stages[1].save()
            stages[1] = started(ready, how, pace)
            stages[1].restore(state)
    assert answers(told) == right(plan, [delta.clock for delta in told], streams)
    assert told[-1].clock == LATER
    if how is not Expiration.INPUT_TRIGGERED:
        assert [delta.clock for delta in told] == clocks
