"""Plain Spark, as the yardstick: nothing of windrow's but the session's address."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from windrow.runtime.spark.session import session

DDL = "ts timestamp_ntz, src int, dst int, bytes double"
ROWS_IN_ARROW = "spark.sql.execution.arrow.maxRecordsPerBatch"


def spark() -> SparkSession:
    return session("local[*]", {})


def identity(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def identity_pass(files: Path, work: Path, files_a_batch: int, key: str | None = None) -> float:
    """Seconds to stream Parquet files through an identity `mapInArrow`, into nothing; with a key, by way
    of a shuffle that brings equal ones together."""
    started = spark()
    ours = started.conf.get(ROWS_IN_ARROW)
    started.conf.set(ROWS_IN_ARROW, "10000")  # Spark's default
    rows = started.readStream.schema(DDL).option("maxFilesPerTrigger", files_a_batch).parquet(str(files))
    if key is not None:
        rows = rows.repartition(started.sparkContext.defaultParallelism, key)
    sink = rows.mapInArrow(identity, DDL).writeStream.format("noop")
    begin = time.perf_counter()
    query = (
        sink.option("checkpointLocation", str(work / uuid.uuid4().hex)).trigger(availableNow=True).start()
    )
    query.awaitTermination()
    seconds = time.perf_counter() - begin
    started.conf.set(ROWS_IN_ARROW, str(ours))
    return seconds


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
