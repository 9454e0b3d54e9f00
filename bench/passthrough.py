"""What windrow adds to, or takes from, the cost of moving rows through Spark and Python.

The yardstick is the least that any Python stage on Spark can do: an identity `mapInArrow` over the same
Parquet files. windrow filters, computes a column, and keeps the offsets of a durable log besides.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import windrow
from bench.harness import Bound, Measurement, Scale, benchmark, measure
from bench.measuring.plain_spark import identity_pass
from bench.measuring.traffic import CHUNK, COLUMNS, QUERY, chunks, workplace, write_files

PLAIN, FILES, LOG = "plain Spark, identity", "windrow, files", "windrow, stream log"
BATCH_ROWS = 4_000_000


@benchmark("passthrough")
def passthrough(scale: Scale) -> Iterator[Measurement]:
    """Filter and project four columns on the Spark runner, from files and from the stream log."""
    rows = scale.size(full=10_000_000, quick=500_000)
    with workplace() as work:
        write_files(work / "in", rows)
        yield measure(
            f"filter and project, {rows:,} tuples, at most {BATCH_ROWS:,} a batch",
            {
                PLAIN: partial(identity_pass, work / "in", work, BATCH_ROWS // CHUNK),
                FILES: partial(_from_files, work, work / "in"),
                LOG: partial(_from_log, work, rows),
            },
            work=rows,
            rounds=scale.rounds,
            bounds=[Bound(FILES, PLAIN, at_least=0.7), Bound(LOG, PLAIN, at_least=1.0)],
            remark="from the start of the query to its last batch; results are dropped in the worker",
        )


def _from_files(work: Path, files: Path) -> float:
    with _database(work) as db:
        db.execute(f"CREATE STREAM Packets ({COLUMNS}) ORDER BY ts SOURCE 'file://{files}?format=parquet'")
        return _timed(db)


def _from_log(work: Path, rows: int) -> float:
    with _database(work) as db:
        db.execute(f"CREATE STREAM Packets ({COLUMNS}) ORDER BY ts")
        for chunk in chunks(rows):
            db.push("Packets", chunk)
        return _timed(db)


def _database(work: Path) -> windrow.Database:
    return windrow.connect(checkpoint=work / uuid.uuid4().hex, batch_rows=BATCH_ROWS)


def _timed(db: windrow.Database) -> float:
    db.execute(f"INSERT INTO 'blackhole:' {QUERY}")
    begin = time.perf_counter()
    db.run_until_idle()
    return time.perf_counter() - begin
