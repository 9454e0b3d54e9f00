"""Plain Spark, as the yardstick: nothing of windrow's but the session's address."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from windrow.runtime.spark.session import session

DDL = "ts timestamp_ntz, src int, dst int, bytes double"
CONF = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10000",  # as it is where nobody has changed it
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
}


def spark() -> SparkSession:
    return session("local[*]", {})


def identity(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def identity_pass(files: Path, work: Path, files_a_batch: int, key: str | None = None) -> float:
    """Seconds to stream Parquet files through an identity `mapInArrow`, into nothing; with a key, by way
    of a shuffle that brings equal ones together."""

    def plan(rows: DataFrame) -> DataFrame:
        if key is not None:
            rows = rows.repartition(rows.sparkSession.sparkContext.defaultParallelism, key)
        return rows.mapInArrow(identity, DDL)

    return streamed(files, work, files_a_batch, plan)


def streamed(
    files: Path,
    work: Path,
    files_a_batch: int,
    plan: Callable[[DataFrame], DataFrame],
    conf: Mapping[str, str] = {},
) -> float:
    """Seconds to stream Parquet files through a plan, into nothing, at the rate after the first batch."""
    started = spark()
    with _set(started, {**CONF, **conf}):
        rows = started.readStream.schema(DDL).option("maxFilesPerTrigger", files_a_batch)
        sink = plan(rows.parquet(str(files))).writeStream.format("noop")
        sink = sink.option("checkpointLocation", str(work / uuid.uuid4().hex))
        query = sink.trigger(availableNow=True).start()
        query.awaitTermination()
        batches = [
            (each.numInputRows, each.durationMs["triggerExecution"]) for each in query.recentProgress
        ]
    batches = [batch for batch in batches if batch[0]]
    steady = batches[1:] or batches
    milliseconds_a_row = sum(took for _, took in steady) / sum(rows for rows, _ in steady)
    return milliseconds_a_row * sum(rows for rows, _ in batches) / 1000


@contextmanager
def _set(started: SparkSession, conf: Mapping[str, str]) -> Iterator[None]:
    before = {name: started.conf.get(name) for name in conf}
    for name, value in conf.items():
        started.conf.set(name, value)
    try:
        yield
    finally:
        for name, found in before.items():
            started.conf.set(name, str(found))


def empty_batches(work: Path, count: int) -> float:
    """Seconds for so many micro-batches of one row, each with one shuffle in a `foreachBatch`."""
    ticks = spark().readStream.format("rate-micro-batch").option("rowsPerBatch", 1).load()
    done: list[float] = []
    enough = threading.Event()

    def shuffle(rows: DataFrame, _number: int) -> None:
        rows.repartition(2, "value").write.format("noop").mode("overwrite").save()
        done.append(time.perf_counter())
        if len(done) > count:
            enough.set()

    query = (
        ticks.writeStream.foreachBatch(shuffle)
        .option("checkpointLocation", str(work / uuid.uuid4().hex))
        .start()
    )
    try:
        deadline = time.monotonic() + 120
        while len(done) <= count and time.monotonic() < deadline:
            enough.wait(0.1)
    finally:
        query.stop()
    return done[count] - done[0]
