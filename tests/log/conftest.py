"""Streams, rows and logs for tests of the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pytest

from windrow.catalog import Part, Stamping, Stream
from windrow.delta import BEGINNING, NEVER
from windrow.log.file_log import SEGMENT_BYTES, FileLog
from windrow.log.stream_log import LogReader, MemoryLog, Payload, StreamLog, Times, part_schemas
from windrow.schema import Schema

EXTERNAL = Stream("S", Schema.of(("item", "INTEGER"), ("at", "TIMESTAMP")), Stamping.EXTERNAL, "at")
INTERNAL = Stream(
    "I", Schema.of(("item", "INTEGER"), ("current_time", "TIMESTAMP")), Stamping.INTERNAL, "current_time"
)
LATENT = Stream("L", Schema.of(("item", "INTEGER")))


def arrivals(*tuples: tuple[int | None, int | None]) -> pa.Table:
    """Tuples of EXTERNAL: item and timestamp."""
    items, ts = zip(*tuples, strict=True) if tuples else ((), ())
    return pa.table(
        [pa.array(items, pa.int32()), pa.array(ts, pa.int64()).cast(pa.timestamp("us"))],
        names=["item", "at"],
    )


def items(*numbers: int | None) -> pa.Table:
    """Tuples of LATENT, or as they arrive on INTERNAL."""
    return pa.table([pa.array(numbers, pa.int32())], names=["item"])


def whole(table: pa.Table) -> pa.RecordBatch:
    (batch,) = table.combine_chunks().to_batches()
    return batch


def times(clock: int, min_ts: int = NEVER, max_ts: int = BEGINNING, stamp: int = 0) -> Times:
    return Times(min_ts, max_ts, clock, clock, stamp, stamp, stamp)


def one(item: int, ts: int) -> tuple[Payload, Times]:
    """An entry with one tuple."""
    return (whole(arrivals((item, ts))), None, None), times(ts, ts, ts)


def told(log: LogReader, part: Part = Part.TUPLES) -> list[list[object]]:
    """What a log holds, entry by entry: the first column of the part's rows."""
    return [
        log.read(entry, part).column(0).to_pylist() if entry["rows"][part.value] else []
        for entry in log.index().entries
    ]


@pytest.fixture(params=["memory", "file"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StreamLog]:
    """Each kind of log, empty."""
    made: StreamLog = MemoryLog()
    if request.param == "file":
        made = FileLog(tmp_path / "log", part_schemas(EXTERNAL))
    yield made
    made.close()


@pytest.fixture
def file_log(tmp_path: Path) -> Iterator[Callable[..., FileLog]]:
    """Opens the log in `tmp_path / "log"`, as often as asked for."""
    with ExitStack() as opened:

        def open_one(segment_bytes: int = SEGMENT_BYTES) -> FileLog:
            folder, schemas = tmp_path / "log", part_schemas(EXTERNAL)
            made = FileLog(folder, schemas, durable=False, segment_bytes=segment_bytes)
            opened.callback(made.close)
            return made

        yield open_one


def append_all(log: StreamLog, entries: Sequence[tuple[Payload, Times]]) -> None:
    with log.lock:
        for payload, moment in entries:
            log.append(payload, moment)
