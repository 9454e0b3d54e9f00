"""The fixed cost of a micro-batch: what a thousand tuples wait for, end to end.

The yardstick is an empty micro-batch of plain Spark with one shuffle. windrow's time is from the push
of a thousand tuples (into a durable log) to their answer in the driver.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import windrow
from bench.harness import Bound, Measurement, Scale, benchmark, measure
from bench.measuring.plain_spark import empty_batches
from bench.measuring.traffic import COLUMNS, QUERY, packets, workplace

PLAIN, DRIVER, WORKERS = "plain Spark, empty", "windrow", "windrow, workers only"
TUPLES = 1_000


@benchmark("microbatch")
def microbatch(scale: Scale) -> Iterator[Measurement]:
    """A thousand tuples a batch, where they run by default and in Spark's workers."""
    count = scale.size(full=20, quick=3)
    with workplace() as work:
        yield measure(
            f"{count} micro-batches, {TUPLES:,} tuples each",
            {
                PLAIN: partial(empty_batches, work, count),
                DRIVER: partial(_pushed, work, count, 10_000),
                WORKERS: partial(_pushed, work, count, 0),
            },
            work=count,
            unit="batches",
            rounds=scale.rounds,
            bounds=[Bound(DRIVER, PLAIN, by="time", at_most=1.5), Bound(WORKERS, PLAIN, by="time")],
            remark="plain: one shuffle and no tuples; windrow: push, filter and project, answer",
        )


def _pushed(work: Path, count: int, driver_rows: int) -> float:
    with windrow.connect(checkpoint=work / uuid.uuid4().hex, driver_rows=driver_rows) as db:
        db.execute(f"CREATE STREAM Packets ({COLUMNS}) ORDER BY ts")
        query = db.query(QUERY)
        tables = [packets(number * TUPLES * 100, TUPLES) for number in range(count + 2)]
        for table in tables[:2]:
            db.push("Packets", table)
            db.run_until_idle()
        query.changes()
        begin = time.perf_counter()
        for table in tables[2:]:
            db.push("Packets", table)
            db.run_until_idle()
            assert query.changes().num_rows
        return time.perf_counter() - begin
