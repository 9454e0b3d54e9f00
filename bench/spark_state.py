"""State on Spark: what a window of a million tuples costs more than a small one, or none.

Throughput is that between batches, from when the large window is full; both windows see the same tuples.
"""

from __future__ import annotations

import itertools
import re
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from bench.harness import Bound, Measurement, Scale, benchmark, measure
from bench.measuring.restarted import seconds_to_answer
from bench.measuring.spark_runs import BATCH_ROWS, database, from_log, push
from bench.measuring.traffic import packets, workplace
from bench.measuring.window_tasks import W1, W3, W7, WindowTask, shared_out, traffic_of

LARGE, SMALL, FULL, EMPTY = "window of 1,000,000", "window of 10,000", "1,000,000 tuples", "no state"
SOURCES = {W1.name: (1_000, 1_000)}
"""So that a tuple of the small window and one of the large have as many matches; where there are none, the
same."""
TUPLES = 1_000


@benchmark("spark_state")
def spark_state(scale: Scale) -> Iterator[Measurement]:
    """Throughput by size of window, small batches, and starting again."""
    rows, kept = scale.size(3_000_000, 100_000), scale.size(1_000_000, 50_000)
    with workplace() as work:
        for task in (W1, W3, W7):
            few, many = SOURCES.get(task.name, (1_000, 100_000))
            yield measure(
                f"{task.name}, by size of its window",
                {
                    SMALL: partial(_throughput, _over(task, 1), few, kept, rows, work),
                    LARGE: partial(_throughput, _over(task, 100), many, kept, rows, work),
                },
                work=rows,
                rounds=min(scale.rounds, 3),
                bounds=[Bound(LARGE, SMALL, by="time", at_most=1.3)],
                remark=f"{rows:,} tuples after {kept:,}, at most {BATCH_ROWS:,} a batch",
            )
        for task in (W1, W3, W7):
            count = scale.size(20, 3)
            many = SOURCES.get(task.name, (1_000, 100_000))[1]
            yield measure(
                f"{task.name}, batches of {TUPLES:,} tuples, with {kept:,} tuples of state and without",
                {
                    EMPTY: partial(_small_batches, _over(task, 100), many, 0, count, work),
                    FULL: partial(_small_batches, _over(task, 100), many, kept, count, work),
                },
                work=count,
                unit="batches",
                rounds=min(scale.rounds, 3),
                bounds=[Bound(FULL, EMPTY, by="time", at_most=1.3)],
                remark="from the push to the end of the batch",
            )
        yield _restart(scale, kept, work)


def _over(task: WindowTask, seconds: int) -> WindowTask:
    """The task over windows of so many seconds."""
    return replace(task, query=re.sub(r"RANGE \d+ SECONDS?", f"RANGE {seconds} SECONDS", task.query))


def _throughput(task: WindowTask, sources: int, kept: int, rows: int, work: Path) -> float:
    arrivals = traffic_of(task, kept + rows, sources)
    return rows * from_log([task.query], arrivals, work, after=kept)


def _small_batches(task: WindowTask, sources: int, kept: int, count: int, work: Path) -> float:
    with database(work) as db:
        warm = kept + 3 * TUPLES
        push(db, traffic_of(task, warm, sources))
        db.execute(f"INSERT INTO 'blackhole:' {task.query}")
        db.run_until_idle()
        later = [packets(100 * (warm + n * TUPLES), TUPLES, sources) for n in range(count)]
        arrivals = [shared_out(task, table) for table in later]
        begin = time.perf_counter()
        for arrival in arrivals:
            push(db, [arrival])
            db.run_until_idle()
        return time.perf_counter() - begin


def _restart(scale: Scale, kept: int, work: Path) -> Measurement:
    query, numbers = _over(W1, 100).query, itertools.count(kept, TUPLES)
    full = work / uuid.uuid4().hex
    seconds_to_answer(full, 0, kept, query)
    return measure(
        f"starting again after a kill, with {kept:,} tuples of state",
        {
            EMPTY: lambda: seconds_to_answer(work / uuid.uuid4().hex, 0, TUPLES, query),
            FULL: lambda: seconds_to_answer(full, next(numbers), TUPLES, query),
        },
        work=1,
        unit="starts",
        rounds=min(scale.rounds, 3),
        bounds=[Bound(FULL, EMPTY, by="time", at_most=2)],
        remark=f"from the start of the process to the answer to {TUPLES:,} tuples",
    )
