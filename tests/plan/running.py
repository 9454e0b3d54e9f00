"""Plans run as they are in one place: the streams come in calls, and the answer is read after each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.delta import BEGINNING, Delta
from windrow.plan.expiration import Expiration, expiring
from windrow.plan.nodes import Node
from windrow.plan.rules.tell_changes import tell_changes
from windrow.plan.rules.tell_ends import tell_ends
from windrow.plan.running import RunningStage
from windrow.plan.stages import RESULT, CompiledPlan, compile_plan

Answer = list[tuple[Any, ...]]


def compiled(plan: Node, how: Expiration = Expiration.UPA, *, gathered: bool = False) -> CompiledPlan:
    """A plan that tells its changes, ready to run."""
    return compile_plan(expiring(tell_changes(tell_ends(plan)), how), gathered=gathered)


def run_plan(plan: CompiledPlan, streams: Mapping[str, pa.Table], clocks: Sequence[int]) -> list[Delta]:
    """What a plan gives in calls up to each clock. Streams have the columns of `tests.plan.reference`."""
    return list(play([stage.start() for stage in plan.stages], plan, streams, clocks))


def play(
    stages: Sequence[RunningStage],
    plan: CompiledPlan,
    streams: Mapping[str, pa.Table],
    clocks: Sequence[int],
) -> Iterator[Delta]:
    """The same with stages that have been started; others may take their places between two calls."""
    before = BEGINNING
    for clock in clocks:
        known = {
            each.id: _between(streams[each.scan.stream.name], each.scan.columns, before, clock)
            for each in plan.scans
            if each.scan
        }
        for stage, running in zip(plan.stages, stages, strict=True):
            known |= running.on_deltas({each.id: known[each.id] for each in stage.inputs})
        yield known[RESULT]
        before = clock


def _between(stream: pa.Table, columns: Sequence[str], before: int, clock: int) -> Delta:
    ts = stream["__ts"].to_numpy()
    some = stream.filter(pa.array((ts > before) & (ts <= clock)))
    return Delta(clock, some.select(list(columns)), np.array(some["__ts"].to_numpy()))


def answers(given: Sequence[Delta]) -> list[Answer]:
    """The answer after each call, sorted."""
    there: Counter[tuple[Any, ...]] = Counter()
    told = []
    for delta in given:
        signs = np.ones(len(delta), np.int8) if delta.sign is None else delta.sign
        for row, sign in zip(delta.rows.to_pylist(), signs.tolist(), strict=True):
            there[tuple(row.values())] += sign
        assert all(count >= 0 for count in there.values())
        told.append(sorted(there.elements(), key=repr))
    return told
