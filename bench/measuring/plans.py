"""Plans run in one place, without logs or sinks around them: what their steps take in time and space."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

import windrow
from windrow.delta import Delta
from windrow.language.binder import bind
from windrow.language.parser import parse_query
from windrow.plan.expiration import Expiration, expiring
from windrow.plan.rules.optimizer import optimize
from windrow.plan.running import RunningStage
from windrow.plan.stages import RESULT, CompiledPlan, compile_plan

CALL = 10_000
"""Units of time a call."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a plan took, once its windows were full."""

    milliseconds: float
    """Of processor time, for 1,000 units of time: the median of all calls."""
    bytes: int
    """Of state."""
    given: int
    """Changes of the answer for 1,000 units of time; ends included."""


def as_written(sql: str, declared: str, how: Expiration) -> CompiledPlan:
    """The plan of a query with the order of its joins and negations left alone."""
    with windrow.connect(runner="inline") as db:
        db.execute(declared)
        return compile_plan(expiring(optimize(bind(parse_query(sql), db.catalog)), how))


def spent(plan: CompiledPlan, streams: Mapping[str, pa.Table], unit: int, full: int, until: int) -> Spent:
    """Let tuples come, and look at what happens between `full` and `until`; all in units of time."""
    stages = [stage.start() for stage in plan.stages[1:]]
    seconds, given = list[float](), 0
    for clock, arriving in _calls(plan, streams, unit, until):
        known = plan.stages[0].start().on_deltas(arriving)
        began = time.process_time()
        for stage, running in zip(plan.stages[1:], stages, strict=True):
            known |= running.on_deltas({each.id: known[each.id] for each in stage.inputs})
        if clock > full:
            seconds.append(time.process_time() - began)
            given += len(known[RESULT])
    typical = statistics.median(seconds) * 1_000 / CALL
    return Spent(1_000 * typical, sum(map(_bytes, stages)), round(1_000 * given / (until - full)))


def _bytes(stage: RunningStage) -> int:
    return sum(table.nbytes for table in stage.save().values())


def _calls(
    plan: CompiledPlan, streams: Mapping[str, pa.Table], unit: int, until: int
) -> Iterator[tuple[int, dict[str, Delta]]]:
    """A tuple of each stream for each unit of time: that of the same number."""
    for begin in range(0, until, CALL):
        ts = np.arange(begin + 1, begin + CALL + 1) * unit
        some = {name: table.slice(begin, CALL) for name, table in streams.items()}
        yield (
            begin + CALL,
            {
                each.id: Delta(int(ts[-1]), some[each.scan.stream.name].select(list(each.scan.columns)), ts)
                for each in plan.scans
                if each.scan
            },
        )
