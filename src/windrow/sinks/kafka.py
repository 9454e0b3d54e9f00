"""A sink that writes changes to a Kafka topic, through Spark's own writer, as JSON messages.

At least once: a batch that fails half-way, or whose success was not recorded before a crash, is
written again. Each message has the headers `batch` and `row`, the same every time, by which a reader
can pass over what it has seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from windrow.delta import Delta
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks import encoding
from windrow.sinks.base import Sink
from windrow.sinks.changelog import Changelog
from windrow.sources.kafka_connector import Topic, connected_session, use_connector

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PATIENT = {"kafka.max.block.ms": "15000", "kafka.delivery.timeout.ms": "30000"}


class KafkaSink(Sink):
    """`kafka://host:port/topic?format=json&key=column`: equal keys go to one partition, in order."""

    def __init__(self, topic: Topic, key: str | None = None, changelog: Changelog | None = None) -> None:
        self._topic = topic
        self._key = key
        self._changelog = changelog or Changelog()
        self._session: SparkSession | None = None
        self._last_batch = -1

    def open(self, schema: Schema) -> None:
        if self._key is not None:
            field = schema.find(self._key)
            if field is None:
                hint = f"columns are: {', '.join(schema.names)}"
                raise SinkError(
                    f"the key of topic '{self._topic.name}' is no column: {self._key}", hint=hint
                )
            self._key = field.name
        self._session = connected_session(self._topic, SinkError)
        self._topic.check_reachable(SinkError)

    def write(self, batch: int, delta: Delta) -> None:
        if batch <= self._last_batch:
            return
        if len(delta) and self._session is not None:
            use_connector(self._session)
            self._send(_with_headers(self._session.createDataFrame(self._messages(delta)), batch))
        self._last_batch = batch

    def _messages(self, delta: Delta) -> pa.Table:
        columns = {
            "row": pa.array(np.arange(len(delta))),
            "value": encoding.json_objects(self._changelog.full(delta)),
        }
        if self._key is not None:
            columns["key"] = encoding.as_text(delta.rows.select([self._key]))[self._key]
        return pa.table(columns)

    def _send(self, messages: DataFrame) -> None:
        from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
        from pyspark.errors import PySparkException

        writer = messages.write.format("kafka").options(**{**_PATIENT, **self._topic.options})
        try:
            writer.option("includeHeaders", "true").option("topic", self._topic.name).save()
        except (Py4JJavaError, PySparkException) as failure:
            raise SinkError(
                f"writing to topic '{self._topic.name}' failed: {_cause(str(failure))}",
                hint="is the topic there, and may it be written to? The batch is written again when"
                " the query runs on; its headers tell it apart",
            ) from failure


def _with_headers(messages: DataFrame, batch: int) -> DataFrame:
    """One partition of Spark's keeps the order of rows within each of Kafka's."""
    headers = (
        f"array(struct('batch' AS key, CAST('{batch}' AS BINARY) AS value),"
        " struct('row' AS key, CAST(CAST(row AS STRING) AS BINARY) AS value)) AS headers"
    )
    kept = [column for column in messages.columns if column != "row"]
    return messages.coalesce(1).selectExpr(*kept, headers)


def _cause(said: str) -> str:
    """What Kafka said, out of Spark's account of the job that failed.

    An exception of a connector that was added to a running session does not come through to there.
    """
    kafka = [line for line in said.splitlines() if "org.apache.kafka" in line and "Exception: " in line]
    return kafka[0].rpartition("Exception: ")[2][:300] if kafka else "the brokers did not take it"
