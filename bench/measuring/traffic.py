"""What the runtime's benchmarks read: packets of four columns, in time order; and a place to work."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from windrow.schema import Schema

PACKETS = Schema.of(("ts", "TIMESTAMP"), ("src", "INTEGER"), ("dst", "INTEGER"), ("bytes", "DOUBLE"))
COLUMNS = ", ".join(f"{field.name} {field.type}" for field in PACKETS)
QUERY = "SELECT ts, src, dst, bytes * 1.1 AS bytes FROM Packets WHERE bytes > 0.5"
"""Keeps half of the tuples, computes one of four columns."""

CHUNK = 250_000


def packets(first: int, rows: int, sources: int = 1_000) -> pa.Table:
    """Packets number `first` on, one every 100 microseconds, of so many sources."""
    random = np.random.default_rng(first)
    columns = [
        np.arange(first, first + rows, dtype=np.int64).view("datetime64[us]") + 99 * np.arange(rows),
        random.integers(0, sources, rows, np.int32),
        random.integers(0, 1_000, rows, np.int32),
        random.random(rows),
    ]
    return pa.table([pa.array(column) for column in columns], schema=PACKETS.arrow)


def chunks(rows: int, sources: int = 1_000) -> Iterator[pa.Table]:
    for first in range(0, rows, CHUNK):
        yield packets(first * 100, min(CHUNK, rows - first), sources)


def write_files(folder: Path, rows: int) -> None:
    """The same packets as Parquet files of one chunk each."""
    folder.mkdir(parents=True)
    for number, chunk in enumerate(chunks(rows)):
        pq.write_table(chunk, folder / f"{number:05d}.parquet")


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder for the length of a benchmark."""
    folder = Path(tempfile.mkdtemp(prefix="windrow-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
