"""Queries that run from queues on a virtual clock: what a strategy delays and lets through, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import windrow
from windrow.delta import Delta
from windrow.plan.effort import Tally
from windrow.plan.expiration import Expiration
from windrow.runtime.program import QueryText, planned
from windrow.runtime.queued.pace import Pace
from windrow.runtime.queued.stage import QueuedStage

Streams = Mapping[str, pa.Table]
"""Tables in the order of their last column, `ts`, in microseconds."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a query."""

    mean: float
    most: float
    """Delay in seconds."""
    seconds: float
    """From the first arrival until all was done."""
    steps: Mapping[str, Tally]

    def step(self, label: str) -> Tally:
        """The last step of a kind."""
        return [tally for id_, tally in self.steps.items() if id_.endswith(label)][-1]


def play(sql: str, declared: str, streams: Streams, how: Expiration, pace: Pace) -> Outcome:
    """Let tuples arrive, all in one batch."""
    with windrow.connect(runner="inline") as db:
        db.execute(declared)
        text = QueryText("q", sql, "memory:", 1, expiration=how.value, queued=pace)
        query = planned(text, db.catalog)
    reading, working = query.compiled.stages
    last = max(_instants(table)[-1] for table in streams.values())
    arriving = {
        each.id: _delta(streams[each.scan.stream.name], each.scan.columns, last)
        for each in reading.inputs
        if each.scan
    }
    stage = query.start(working, home=True)
    assert isinstance(stage, QueuedStage)
    (given,) = stage.on_deltas(reading.start().on_deltas(arriving)).values()
    delays = stage.delays(given)
    first = min(_instants(table)[0] for table in streams.values())
    return Outcome(
        delays.total / max(1, delays.count) / 1e6,
        delays.most / 1e6,
        (stage.now - int(first)) / 1e6,
        stage.take_tallies(),
    )


def poisson(random: np.random.Generator, rate: float, seconds: float) -> npt.NDArray[np.int64]:
    """Instants of arrivals, so many a second."""
    gaps = random.exponential(1e6 / rate, int(rate * seconds)).astype(np.int64) + 1
    return np.cumsum(gaps)


def _instants(table: pa.Table) -> npt.NDArray[np.int64]:
    instants: npt.NDArray[np.int64] = table["ts"].to_numpy()
    return instants


def _delta(table: pa.Table, columns: tuple[str, ...], clock: int) -> Delta:
    ts = _instants(table)
    stamped = table.set_column(table.num_columns - 1, "ts", pa.array(ts, pa.timestamp("us")))
    return Delta(int(clock), stamped.select(list(columns)), ts)
