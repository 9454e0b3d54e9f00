"""Messages as rows: how stages speak to each other and to the driver through Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from windrow.delta import Delta
from windrow.errors import CheckpointError, Error, RunnerError, SinkError, SourceError, StateLost
from windrow.operators.base import FAILURES
from windrow.plan.effort import Delays, as_plain, from_plain
from windrow.runtime.execution import Effort, Exchanged, Message, Result
from windrow.runtime.spark.mail import Mail, fetch
from windrow.sinks.base import Part

EXCHANGED, DELTA, PART, NOTHING, EFFORT, FAILED = range(6)
"""What the content of a row is; the last: an error that ended a worker's share."""

_COLUMNS: tuple[tuple[str, pa.DataType, str], ...] = (
    ("query", pa.string(), "string"),
    ("kind", pa.int32(), "int"),
    ("exchange", pa.string(), "string"),
    ("bucket", pa.int32(), "int"),
    ("place", pa.int32(), "int"),
    ("clock", pa.int64(), "bigint"),
    ("rows", pa.int64(), "bigint"),
    ("content", pa.binary(), "binary"),
    ("file", pa.string(), "string"),
    ("failures", pa.binary(), "binary"),
    ("delays", pa.string(), "string"),
)
SCHEMA = pa.schema([pa.field(name, type_) for name, type_, _ in _COLUMNS])
DDL = ", ".join(f"{name} {type_}" for name, _, type_ in _COLUMNS)


@dataclass(frozen=True, slots=True)
class Failure:
    """An error of a worker, which the driver raises in its place."""

    text: str
    hint: str | None = None
    kind: str = RunnerError.__name__
    query: str = ""
    """Whose state is lost."""

    @classmethod
    def of(cls, error: Error) -> Failure:
        query = error.query if isinstance(error, StateLost) else ""
        return cls(error.message, error.hint, type(error).__name__, query)

    @property
    def error(self) -> Error:
        if self.query:
            return StateLost(self.text, self.query, hint=self.hint)
        return _ERRORS.get(self.kind, RunnerError)(self.text, hint=self.hint)


_ERRORS = {each.__name__: each for each in (SourceError, SinkError, CheckpointError)}
"""What workers fail of, apart from themselves."""


def encode(message: Message | Failure, mail: Mail) -> pa.RecordBatch:
    """A message as a batch of one row; a large delta is posted."""
    row = _row(message, mail)
    return pa.RecordBatch.from_arrays(
        [pa.array([v], f.type) for v, f in zip(row, SCHEMA, strict=True)], schema=SCHEMA
    )


def _row(message: Message | Failure, mail: Mail) -> tuple[Any, ...]:
    match message:
        case Failure():
            told = (message.text, message.hint, message.kind, message.query)
            return ("", FAILED, "", 0, 0, 0, 0, json.dumps(told).encode(), None, None, None)
        case Exchanged(query, exchange, bucket, sender, delta):
            blob, file = _carried(delta, mail)
            rows = len(delta)
            return (query, EXCHANGED, exchange, bucket, sender, delta.clock, rows, blob, file, None, None)
        case Effort(query, stage, place, tallies, phases):
            done = json.dumps([as_plain(tallies), phases]).encode()
            return (query, EFFORT, "", place, place, stage, 0, done, None, None, None)
        case Result(query, place, clock, rows, content, failures, delays):
            kind, blob, file = _content(content, mail)
            failed = _table_to_blob(failures) if failures.num_rows else None
            late = json.dumps([delays.count, delays.total, delays.most, delays.sample])
            return (query, kind, "", place, place, clock, rows, blob, file, failed, late)


def _content(content: Delta | Part | None, mail: Mail) -> tuple[int, bytes | None, str | None]:
    if isinstance(content, Delta):
        return DELTA, *_carried(content, mail)
    if isinstance(content, Part):
        return PART, json.dumps([str(content.written), content.name]).encode(), None
    return NOTHING, None, None


def _carried(delta: Delta, mail: Mail) -> tuple[bytes | None, str | None]:
    """The delta itself, or the file that it is in."""
    posted = mail.post(delta)
    return (delta.to_blob(), None) if posted is None else (None, str(posted))


def decode(batches: Iterable[pa.RecordBatch]) -> Iterator[Message | Failure]:
    """The messages of batches of rows."""
    for batch in batches:
        yield from (_message(row) for row in batch.to_pylist())


def _message(row: dict[str, Any]) -> Message | Failure:
    content = row["content"]
    match row["kind"]:
        case _ if row["kind"] == EXCHANGED:
            return Exchanged(row["query"], row["exchange"], row["bucket"], row["place"], _delta(row))
        case _ if row["kind"] == FAILED:
            return Failure(*json.loads(content))
        case _ if row["kind"] == EFFORT:
            tallies, phases = json.loads(content)
            return Effort(row["query"], row["clock"], row["place"], from_plain(tallies), phases)
        case _ if row["kind"] == DELTA:
            told: Delta | Part | None = _delta(row)
        case _ if row["kind"] == PART:
            written, name = json.loads(content)
            told = Part(Path(written), name)
        case _:
            told = None
    failures = _blob_to_table(row["failures"])
    count, total, most, sample = json.loads(row["delays"])
    delays = Delays(count, total, most, tuple(sample))
    return Result(row["query"], row["place"], row["clock"], row["rows"], told, failures, delays)


def _delta(row: dict[str, Any]) -> Delta:
    return Delta.from_blob(row["content"]) if row["file"] is None else fetch(Path(row["file"]))


def _table_to_blob(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _blob_to_table(blob: bytes | None) -> pa.Table:
    if blob is None:
        return FAILURES.empty_table()
    with pa.ipc.open_stream(blob) as reader:
        return reader.read_all()
