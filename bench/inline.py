"""The inline runner against the Spark runner: the same query over the same tuples from the stream log."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

import windrow
from bench.harness import Bound, Measurement, Scale, benchmark, measure
from bench.measuring.traffic import COLUMNS, QUERY, chunks, packets, workplace

INLINE, SPARK = "inline", "spark"


@benchmark("inline")
def inline(scale: Scale) -> Iterator[Measurement]:
    """Throughput of one large backlog, and of many small hand-overs."""
    rows = scale.size(full=10_000_000, quick=500_000)
    small = scale.size(full=100, quick=5)
    with workplace() as work:
        for title, run, amount in (
            (f"a backlog of {rows:,} tuples", partial(_backlog, work, rows), rows),
            (f"{small} hand-overs of 1,000 tuples", partial(_handovers, work, small), small * 1_000),
        ):
            yield measure(
                title,
                {INLINE: partial(run, "inline"), SPARK: partial(run, "spark")},
                work=amount,
                rounds=scale.rounds,
                bounds=[Bound(INLINE, SPARK, at_least=10)],
                remark="filter and project of four columns, results dropped",
            )


def _backlog(work: Path, rows: int, runner: Literal["inline", "spark"]) -> float:
    with _database(work, runner) as db:
        for chunk in chunks(rows):
            db.push("Packets", chunk)
        db.execute(f"INSERT INTO 'blackhole:' {QUERY}")
        begin = time.perf_counter()
        db.run_until_idle()
        return time.perf_counter() - begin


def _handovers(work: Path, count: int, runner: Literal["inline", "spark"]) -> float:
    with _database(work, runner) as db:
        db.execute(f"INSERT INTO 'blackhole:' {QUERY}")
        db.push("Packets", packets(0, 1_000))
        db.run_until_idle()
        tables = [packets(number * 100_000, 1_000) for number in range(1, count + 1)]
        begin = time.perf_counter()
        for table in tables:
            db.push("Packets", table)
            db.run_until_idle()
        return time.perf_counter() - begin


def _database(work: Path, runner: Literal["inline", "spark"]) -> windrow.Database:
    db = windrow.connect(runner=runner, checkpoint=None if runner == "inline" else work / uuid.uuid4().hex)
    db.execute(f"CREATE STREAM Packets ({COLUMNS}) ORDER BY ts")
    return db
