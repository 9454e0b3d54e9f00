"""Tuples from a Kafka topic, through Spark's own reader: `kafka://host:port/topic?format=json|csv`.

A Spark streaming query of the source's own reads the topic; each of its batches is decoded here,
ordered by partition and offset, and handed to the inlet with the batch's number. Exactly once: Spark
gives a batch that it does not know finished again, with the same messages and number, and one whose
number the inlet has already logged is passed over.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from windrow.catalog import Stream
from windrow.errors import Error, SourceError
from windrow.log.stream_log import Position
from windrow.sources.base import Inlet, Source
from windrow.sources.formats.base import Decoder, Layout, Rejected
from windrow.sources.formats.choose import TEXT_OPTIONS, check_format, csv_options, text_decoder
from windrow.sources.kafka_connector import Topic, connected_session, use_connector
from windrow.uri import Uri

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

MESSAGES_A_BATCH = 200_000
_MESSAGES_A_BLOCK = 50_000
_LOOK_FOR_STOP = 0.1
_NOTHING_NEW = "Waiting for data to arrive"
_OPTIONS = ("starting", "jars", *(name for name in TEXT_OPTIONS if name not in ("header", "max_line")))


class KafkaSource(Source):
    """Reads from `starting` (earliest or latest) on, and after a restart from where it was.

    `checkpoint` names the folder for Spark's record of offsets, which has to live as long as the stream's
    log. Without one the source reads into a log that does not outlive it.
    """

    def __init__(self, uri: Uri | str, stream: Stream, *, checkpoint: Path | None = None) -> None:
        uri = Uri.parse(uri) if isinstance(uri, str) else uri
        self._topic = Topic.of(uri, SourceError)
        uri.check_options(*_OPTIONS, *self._topic.client)
        format_ = uri.options.get("format", "json")
        check_format(uri, format_, "json", "csv")
        self._starting = uri.options.get("starting", "earliest")
        if self._starting not in ("earliest", "latest"):
            hint = "starting is earliest or latest"
            raise SourceError(f"{uri.text}: starting cannot be '{self._starting}'", hint=hint)
        csv_options(uri)
        self._uri, self._stream, self._format = uri, stream, format_
        self._checkpoint = checkpoint
        self._temporary: Path | None = None
        self._session: SparkSession | None = None
        self._query: StreamingQuery | None = None

    def open(self) -> None:
        self._session = connected_session(self._topic, SourceError)
        self._topic.check_reachable(SourceError)

    def run(self, inlet: Inlet, position: Position | None, stopping: Event) -> None:
        folder = self._folder(inlet.stream.name, position)
        handover = Handover(inlet, self._decoding(), position, folder.name, stopping)
        query = self._query = self._start(handover, folder)
        try:
            while query.isActive and not stopping.wait(_LOOK_FOR_STOP):
                pass
            failure = None if stopping.is_set() else query.exception()
        finally:
            query.stop()
            handover.finish()
        if failure is not None:
            raise handover.failure or self._explained(str(failure))

    def idle(self) -> bool:
        query = self._query
        return query is not None and query.isActive and bool(query.status["message"] == _NOTHING_NEW)

    def close(self) -> None:
        self._query = None
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _decoding(self) -> Messages:
        decoder = text_decoder(self._uri, self._stream, self._format)
        return Messages(decoder, self._stream, one_line=self._format == "json")

    def _start(self, handover: Handover, folder: Path) -> StreamingQuery:
        if self._session is None:
            raise SourceError("a Kafka source is opened before it runs")
        use_connector(self._session)
        messages = (
            self._session.readStream.format("kafka")
            .options(**self._topic.options)
            .option("subscribe", self._topic.name)
            .option("startingOffsets", self._starting)
            .option("maxOffsetsPerTrigger", MESSAGES_A_BATCH)
            .load()
            .select("partition", "offset", "value")
        )
        return (
            messages.writeStream.foreachBatch(handover.on_batch)
            .option("checkpointLocation", str(folder))
            .start()
        )

    def _folder(self, stream: str, position: Position | None) -> Path:
        """Where Spark keeps the offsets that belong to the position: a new folder at the start."""
        if self._checkpoint is None:
            self._temporary = Path(tempfile.mkdtemp(prefix="windrow-kafka-"))
        parent = self._checkpoint or self._temporary
        assert parent is not None
        if position is None:
            folder = parent / uuid.uuid4().hex
            folder.mkdir(parents=True)
            return folder
        folder = parent / str(position["folder"])
        if not folder.is_dir():
            raise SourceError(
                f"the record of what stream {stream} has read from Kafka is gone: {folder}",
                hint="restore the whole checkpoint, or start from a new one",
            )
        return folder

    def _explained(self, said: str) -> SourceError:
        topic = self._topic.name
        if "UnknownTopicOrPartition" in said:
            return SourceError(f"Kafka has no topic '{topic}'", hint="create it, or check the spelling")
        if "data loss" in said.lower() or "OffsetOutOfRange" in said:
            return SourceError(
                f"messages of topic '{topic}' that were not read yet are gone",
                hint="they were past retention, or the topic was made anew: start from a new checkpoint",
            )
        return SourceError(f"reading topic '{topic}' failed: {said.splitlines()[0]}")


class Messages:
    """Decodes messages: each is a JSON object, or some lines of CSV without a header."""

    def __init__(self, decoder: Decoder, stream: Stream, *, one_line: bool) -> None:
        self._decoder = decoder
        self._schema = stream.arriving.arrow
        self._layout = Layout() if one_line else Layout(tuple(stream.arriving.names))
        self._one_line = one_line

    def decode(self, messages: pa.Table) -> tuple[pa.Table, list[Rejected]]:
        """The rows of messages (partition, offset, value) by partition and offset, and what was none."""
        messages = messages.sort_by([("partition", "ascending"), ("offset", "ascending")])
        empty = pc.is_null(messages["value"])
        rejected = _without_value(messages.filter(empty))
        values = messages["value"].filter(pc.invert(empty)).cast(pa.large_binary())
        tables = [self._schema.empty_table()]
        for start in range(0, len(values), _MESSAGES_A_BLOCK):
            decoded = self._decoder.decode(
                self._block(values.slice(start, _MESSAGES_A_BLOCK)), self._layout
            )
            tables.append(decoded.rows)
            rejected += decoded.rejected
        return pa.concat_tables(tables), rejected

    def _block(self, values: pa.ChunkedArray[Any]) -> bytes:
        """The messages as lines. A newline within a JSON object is only space, so becomes that."""
        values = pc.replace_substring(values, b"\r\n", b"\n")
        if self._one_line:
            values = pc.replace_substring(values, b"\n", b" ")
        return _joined(values.combine_chunks())


def _joined(values: pa.Array[Any]) -> bytes:
    """Each value and a newline."""
    bounds = pa.array([0, len(values)], pa.int64())
    joined: Any = pc.binary_join(
        pa.LargeListArray.from_arrays(bounds, values), pa.scalar(b"\n", values.type)
    )
    return bytes(joined[0].as_buffer()) + b"\n"


def _without_value(messages: pa.Table) -> list[Rejected]:
    places = zip(messages["partition"].to_pylist(), messages["offset"].to_pylist(), strict=True)
    return [(f"partition {p}, offset {offset}", "the message has no value") for p, offset in places]


class Handover:
    """What Spark calls with each batch; the batch's number and folder are the position."""

    def __init__(
        self, inlet: Inlet, messages: Messages, position: Position | None, folder: str, stopping: Event
    ) -> None:
        self._inlet = inlet
        self._messages: Messages | None = messages
        self._logged = -1 if position is None else int(position["batch"])
        self._folder = folder
        self._stopping = stopping
        self._running = threading.Lock()
        self.failure: Error | None = None

    def on_batch(self, messages: DataFrame, batch: int) -> None:
        with self._running, self._noting_failure():
            if batch > self._logged:
                # The session is the batch's own; that of a pipeline is set up for rows that are blobs.
                messages.sparkSession.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 10_000)
                self.take(batch, messages.toArrow())

    def take(self, batch: int, messages: pa.Table) -> None:
        """Hand a batch over, unless it has been."""
        if batch <= self._logged:
            return
        if self._messages is None or self._stopping.is_set():
            raise SourceError("the source stops: this batch is read again when it goes on")
        rows, rejected = self._messages.decode(messages)
        if len(rows) or rejected:
            self._inlet.accept(rows, rejected=rejected, position={"batch": batch, "folder": self._folder})
        self._logged = batch

    def finish(self) -> None:
        """Wait until no batch is being handed over; from now on none is."""
        self._stopping.set()
        with self._running:
            self._messages = None  # Spark's gateway keeps the callback, which must not keep the decoder

    @contextlib.contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            yield
        except Error as failure:
            self.failure = failure
            raise
