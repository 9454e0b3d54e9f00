"""Queries on the Spark runner, timed: from files, and from a stream log that has the tuples already."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

import windrow
from bench.measuring.traffic import COLUMNS

BATCH_ROWS = 1_000_000


def from_files(query: str, streams: Sequence[str], work: Path) -> float:
    """Seconds to read the files under `in/STREAM` and to process them."""
    with database(work) as db:
        for name in streams:
            source = f"file://{work}/in/{name}?format=parquet"
            db.execute(f"CREATE STREAM {name} ({COLUMNS}) ORDER BY ts SOURCE '{source}'")
        return timed(db, [query])


def from_log(queries: Sequence[str], arrivals: Iterable[Mapping[str, pa.Table]], work: Path) -> float:
    """Seconds to process what was logged beforehand."""
    with database(work) as db:
        push(db, arrivals)
        return timed(db, queries)


def push(db: windrow.Database, arrivals: Iterable[Mapping[str, pa.Table]]) -> None:
    for tables in arrivals:
        for name, table in tables.items():
            if name.lower() not in db.catalog.streams:
                db.execute(f"CREATE STREAM {name} ({COLUMNS}) ORDER BY ts")
            db.push(name, table)


def database(work: Path) -> windrow.Database:
    return windrow.connect(checkpoint=work / uuid.uuid4().hex, batch_rows=BATCH_ROWS)


def timed(db: windrow.Database, queries: Sequence[str]) -> float:
    for query in queries:
        db.execute(f"INSERT INTO 'blackhole:' {query}")
    begin = time.perf_counter()
    db.run_until_idle()
    return time.perf_counter() - begin
