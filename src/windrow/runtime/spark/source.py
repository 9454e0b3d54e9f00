"""The logs as a Spark data source: offsets are log positions, rows are what the first stage gives.

Spark asks for the latest offset and plans a batch in one process, and reads the batch in its workers.
No tuple crosses the JVM on the way in: a worker maps the log's segments and runs the first stage of
all queries on its slice.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from pathlib import Path
from typing import Any

from pyarrow import RecordBatch, Schema
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StructType

from windrow.errors import Error
from windrow.log.file_log import FileLogReader
from windrow.log.reading import Slice
from windrow.log.relation_log import relation_schemas
from windrow.log.stream_log import LogReader, part_schemas
from windrow.runtime.execution import NUMBER, PROGRAM, Batch, work_of
from windrow.runtime.offsets import next_offsets, rows_between
from windrow.runtime.program import Program
from windrow.runtime.spark.mail import Mail
from windrow.runtime.spark.messages import DDL, Failure, encode
from windrow.runtime.spark.settling import settle
from windrow.runtime.spark.shipping import require_checkpoint

Readers = dict[str, LogReader]
Schemas = tuple[Schema, ...]

NAME = "windrow"
SLICE_ROWS = 50_000
"""A batch is cut into slices for the cores when it has more rows than this."""


class LogSource(DataSource):
    """`format("windrow")` with the options checkpoint, rows, slices and buckets."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> str:
        return DDL

    def streamReader(self, schema: StructType) -> LogStreamReader:  # noqa: N802 (Spark's name)
        return LogStreamReader(self.options)


class LogPartition(InputPartition):
    """A slice of a batch."""

    def __init__(self, batch: Batch, slice_: Slice) -> None:
        self.batch = batch
        self.slice = slice_


class LogStreamReader(DataSourceStreamReader):
    """Reads the logs of the streams and relations that the program in force reads."""

    def __init__(self, options: MutableMapping[str, str]) -> None:
        self._checkpoint = Path(options["checkpoint"])
        self._rows = int(options["rows"])
        self._slices = int(options["slices"])
        self._buckets = int(options["buckets"])

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        return {PROGRAM: 0, NUMBER: 0}

    def latestOffset(self, start: dict[str, int], limit: Any) -> dict[str, int]:  # noqa: N802
        version = Program.newest(self._checkpoint / "programs")
        logs, relations = log_readers(self._checkpoint, version)
        return next_offsets(start, logs, relations, version, self._rows) or start

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        if start == end:
            return []
        rows = rows_between(start, end, _all_readers(self._checkpoint, end[PROGRAM]))
        count = max(1, min(self._slices, rows // SLICE_ROWS))
        return [LogPartition(Batch(start, end), Slice(number, count)) for number in range(count)]

    def read(self, partition: InputPartition) -> Iterator[RecordBatch]:
        assert isinstance(partition, LogPartition)
        mail = Mail(self._checkpoint, partition.batch.number)
        try:
            require_checkpoint(self._checkpoint)
            work = work_of(self._checkpoint, partition.batch, self._buckets)
            logs = _all_readers(self._checkpoint, partition.batch.end[PROGRAM])
            for message in work.first_stage(logs, partition.slice):
                yield encode(message, mail)
            settle(self._checkpoint, work.program.version, 0)
        except Error as error:
            yield encode(Failure.of(error), mail)


def log_readers(checkpoint: Path, version: int) -> tuple[Readers, Readers]:
    """The logs of streams, and those of relations, that a version of the program reads; each is opened
    once in a process."""
    program = Program.load(checkpoint / "programs", version)
    streams = {name: part_schemas(stream) for name, stream in program.streams_read().items()}
    relations = {name: relation_schemas(each) for name, each in program.relations_read().items()}
    return _opened(checkpoint, streams), _opened(checkpoint, relations)


def _all_readers(checkpoint: Path, version: int) -> Readers:
    streams, relations = log_readers(checkpoint, version)
    return {**streams, **relations}


def _opened(checkpoint: Path, logs: Mapping[str, Schemas]) -> Readers:
    return {name: _reader(checkpoint / "log" / name, schemas) for name, schemas in logs.items()}


@functools.lru_cache(maxsize=256)
def _reader(folder: Path, schemas: Schemas) -> LogReader:
    return FileLogReader(folder, schemas)
