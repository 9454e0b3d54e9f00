"""Queries on the Spark runner, timed: from files, and from a stream log that has the tuples already.

What is timed is the way from the end of one batch to the end of the last: starting takes as long whatever
there is to do.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

import windrow
from bench.measuring.traffic import COLUMNS
from windrow.runtime.metrics import Metrics

BATCH_ROWS = 1_000_000


def from_files(query: str, streams: Sequence[str], rows: int, work: Path) -> float:
    """Seconds to read so many rows of the files under `in/STREAM`, and to process them."""
    with database(work) as db:
        for name in streams:
            source = f"file://{work}/in/{name}?format=parquet"
            db.execute(f"CREATE STREAM {name} ({COLUMNS}) ORDER BY ts SOURCE '{source}'")
        return rows * seconds_a_tuple(db, [query])


def from_log(
    queries: Sequence[str], arrivals: Iterable[Mapping[str, pa.Table]], work: Path, after: int = 1
) -> float:
    """Seconds that a tuple takes of those that were logged beforehand."""
    with database(work) as db:
        push(db, arrivals)
        return seconds_a_tuple(db, queries, after)


def push(db: windrow.Database, arrivals: Iterable[Mapping[str, pa.Table]]) -> None:
    for tables in arrivals:
        for name, table in tables.items():
            if name.lower() not in db.catalog.streams:
                db.execute(f"CREATE STREAM {name} ({COLUMNS}) ORDER BY ts")
            db.push(name, table)


def database(work: Path) -> windrow.Database:
    return windrow.connect(checkpoint=work / uuid.uuid4().hex, batch_rows=BATCH_ROWS)


def seconds_a_tuple(db: windrow.Database, queries: Sequence[str], after: int = 1) -> float:
    """From the end of the batch with which so many tuples are through; where there is no other, in all."""
    for query in queries:
        db.execute(f"INSERT INTO 'blackhole:' {query}")
    ends = [(0, time.perf_counter())]

    def look(metrics: Metrics) -> None:
        if metrics.tuples_in > ends[-1][0]:
            ends.append((metrics.tuples_in, time.perf_counter()))

    db.run(until_idle=True, progress=look)
    first, since = next(end for end in ends if end[0] >= after)
    last, until = ends[-1]
    if first == last:
        first, since = ends[0]
    return (until - since) / (last - first)
