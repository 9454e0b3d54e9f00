"""The Spark runner: one streaming query carries all queries of a pipeline.

Spark numbers the batches, writes their offsets down before they run, and runs a batch again, with the
same offsets, if it does not know that it was done. Everything else is a function of these offsets.
"""

from __future__ import annotations

import functools
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakMethod

import pyarrow as pa
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import TaskContext
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from windrow.errors import Error, RunnerError
from windrow.log.reading import Offsets
from windrow.runtime.checkpoint import run_of
from windrow.runtime.execution import (
    NUMBER,
    PROGRAM,
    Batch,
    Effort,
    Exchanged,
    Message,
    Result,
    Work,
    run_here,
    work_of,
)
from windrow.runtime.offsets import rows_between
from windrow.runtime.pipeline import Pipeline
from windrow.runtime.remaking import run_with_state
from windrow.runtime.runner import Engine, Runner
from windrow.runtime.spark.mail import Mail, throw_away
from windrow.runtime.spark.messages import DDL, Failure, decode, encode
from windrow.runtime.spark.session import session
from windrow.runtime.spark.settling import settle
from windrow.runtime.spark.shipping import gist, require_checkpoint, told_by_spark
from windrow.runtime.spark.source import NAME
from windrow.runtime.spark.starting import undisturbed
from windrow.runtime.state import Places
from windrow.sources.kafka_connector import connector_conf

COMMIT_TIME = 5.0
LOOK = 0.02
"""Seconds between two looks at how far Spark is, where nobody tells."""


class SparkRunner(Runner):
    """Drives the streaming query, and commits its batches in the driver."""

    def __init__(self, pipeline: Pipeline, spark: SparkSession) -> None:
        self._pipeline = pipeline
        self._spark = spark
        with undisturbed():
            self._slices = self._spark.sparkContext.defaultParallelism
        wanted = pipeline.settings.number("buckets")
        self._buckets = int(pipeline.checkpoint.keep("buckets", str(wanted or self._slices)))
        if wanted and wanted != (pipeline.program.buckets or self._buckets):
            pipeline.spread(wanted)
        self._wal = pipeline.checkpoint.path / "spark"
        self._committed = threading.Event()
        self._failure: Error | None = None
        self._query: Any = None
        self._batch_rows = 0
        """What the query was started with."""
        self._ended = True
        """There is no query yet, or the last step raised what ended it."""
        self._done: Offsets = self._last_done()
        pipeline.go_on_from(self._done)
        pipeline.backlog.active = True
        self._here = ThreadPoolExecutor(1, "windrow small batches")

    def step(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        worked = False
        if self._ended or self._batch_rows != self._pipeline.settings.number("batch_rows"):
            self._start()
        while True:
            self._look()
            left = max(0.0, deadline - time.monotonic())
            if self._behind():
                worked = True
                self._committed.wait(LOOK)
                self._committed.clear()
            elif worked or not left or not self._pipeline.arrived.wait(left):
                return worked
            else:
                self._pipeline.arrived.clear()
            if not left:
                return worked

    def close(self) -> None:
        self._pipeline.backlog.active = False
        with undisturbed():
            self._stop()
            self._here.shutdown()

    def _await_commit(self) -> None:
        """Give Spark the moment that it takes to write down that the last batch is done."""
        deadline = time.monotonic() + COMMIT_TIME
        while self._is_active() and self._last_done() != self._done and time.monotonic() < deadline:
            self._committed.wait(LOOK)

    def _is_active(self) -> bool:
        """Asked undisturbed: a question that Ctrl-C cuts short leaves its answer to the next one."""
        with undisturbed():
            return self._query is not None and bool(self._query.isActive)

    def _start(self) -> None:
        """From the batch after the last that was done; one that failed has the same offsets again."""
        with undisturbed():
            self._stop()
            self._failure = None
            throw_away(self._pipeline.checkpoint.path)
            self._query = self._started()
            self._ended = False

    def _stop(self) -> None:
        if self._query is not None:
            self._await_commit()
            self._query.stop()

    def _started(self) -> Any:
        self._batch_rows = self._pipeline.settings.number("batch_rows")
        options = {
            "checkpoint": str(self._pipeline.checkpoint.path),
            "rows": str(self._batch_rows),
            "slices": str(self._slices),
            "buckets": str(self._buckets),
        }
        try:
            rows = self._spark.readStream.format(NAME).options(**options).load()
            writer = rows.writeStream.foreachBatch(_forwarded(WeakMethod(self._on_batch)))
            name = f"windrow {self._pipeline.checkpoint.path}"
            return writer.queryName(name).option("checkpointLocation", str(self._wal)).start()
        except (PySparkException, Py4JError) as error:
            raise told_by_spark("Spark cannot start the pipeline", error) from error

    def _look(self) -> None:
        """Move silent streams on; raise what went wrong in a source, a worker or a sink."""
        self._pipeline.pulse()
        if self._failure or not self._is_active():
            self._ended = True
            raise self._failure or told_by_spark(
                "Spark's query ended", self._query.exception(), "run `windrow doctor`"
            )

    def _behind(self) -> bool:
        return self._pipeline.next_batch(self._done) is not None

    def _on_batch(self, rows: DataFrame, number: int) -> None:
        """Called by Spark with each batch, on a thread of its own."""
        try:
            began = time.perf_counter()
            batch = Batch(self._done, self._offsets(number))
            work = work_of(self._pipeline.checkpoint.path, batch, self._buckets)
            logs = self._pipeline.logs
            brought = rows_between(batch.start, batch.end, logs)
            on_workers = brought > self._pipeline.settings.number("driver_rows")
            run = (
                partial(self._on_workers, rows, work, brought)
                if on_workers
                else partial(self._in_driver, work)
            )
            results = run_with_state(work, logs, run, self._pipeline.notices.append)
            self._pipeline.commit(batch, results, time.perf_counter() - began, side_by_side=on_workers)
            throw_away(work.checkpoint, upto=batch.number)
            self._done = batch.end
            self._committed.set()
        except Error as error:
            self._failure = error
            raise
        except PySparkException as error:
            self._failure = told_by_spark("a batch failed in Spark", error)
            raise
        except Exception as error:
            self._failure = RunnerError(f"a batch failed: {type(error).__name__}: {gist(error)}")
            raise

    def _in_driver(self, work: Work) -> list[Result | Effort]:
        """A small batch is not worth the way to the workers."""
        # Not on Spark's callback thread, which outlives the interpreter's clean-up.
        return self._here.submit(run_here, work, self._pipeline.logs, _places(work.checkpoint)).result()

    def _on_workers(self, rows: DataFrame, work: Work, brought: int) -> list[Result | Effort]:
        queries = ", ".join(query.name for query in work.program.compiled())
        title = f"windrow batch {work.batch.number}: {brought:,} tuples, {work.stages} stages; {queries}"
        self._spark.sparkContext.setJobDescription(title)
        for stage in range(1, work.stages):
            run = partial(_run_stage, work.checkpoint, work.batch, self._buckets, stage)
            rows = rows.repartitionById(work.places, "bucket").mapInArrow(run, DDL)
        messages = map(_passed, decode(rows.toArrow().to_batches()))
        return [message for message in messages if not isinstance(message, Exchanged)]

    def _offsets(self, number: int) -> Offsets:
        """What Spark wrote down of a batch before running it: the last line is the source's."""
        *_, offsets = (self._wal / "offsets" / str(number)).read_text().splitlines()
        told: Offsets = json.loads(offsets)
        return told

    def _last_done(self) -> Offsets:
        done = [int(path.name) for path in self._wal.glob("commits/*") if path.name.isdigit()]
        return self._offsets(max(done)) if done else {PROGRAM: 0, NUMBER: 0}


class SparkEngine(Engine):
    """The Spark at a master URL, with the connectors that sources and sinks need."""

    def __init__(self, master: str) -> None:
        self._master = master
        self._conf: dict[str, str] = {}

    def prepare(self, uris: Iterable[str]) -> None:
        needed = {name: value for uri in uris for name, value in connector_conf(uri).items()}
        if needed:
            self._conf |= needed
            session(self._master, self._conf)

    def start(self, pipeline: Pipeline) -> Runner:
        return SparkRunner(pipeline, session(self._master, self._conf))


def _run_stage(
    checkpoint: Path, batch: Batch, buckets: int, number: int, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """In a worker: what one bucket makes of what was sent to it."""
    context = TaskContext.get()
    assert context is not None
    mail = Mail(checkpoint, batch.number)
    try:
        require_checkpoint(checkpoint)
        work: Work = work_of(checkpoint, batch, buckets)
        arrived = [_passed(message) for message in decode(batches)]
        for message in work.later_stage(number, context.partitionId(), arrived, _places(checkpoint)):
            yield encode(message, mail)
        settle(checkpoint, work.program.version, number)
    except Error as error:
        yield encode(Failure.of(error), mail)


def _passed(message: Message | Failure) -> Message:
    if isinstance(message, Failure):
        raise message.error
    return message


def _places(checkpoint: Path) -> Places:
    """What this process, the driver or a worker, has served of a pipeline."""
    return _places_of(checkpoint, run_of(checkpoint))


@functools.lru_cache(maxsize=8)
def _places_of(checkpoint: Path, _run: str) -> Places:
    """Those of one run: another one may begin in the same place."""
    return Places.under(checkpoint)


def _forwarded(on_batch: WeakMethod[Callable[[DataFrame, int], None]]) -> Callable[[DataFrame, int], None]:
    """What Spark calls and never forgets, nor what it raises: neither must keep a closed pipeline with its
    tables alive, as the frames of an error would."""

    def failure(rows: DataFrame, number: int) -> str | None:
        try:
            if (target := on_batch()) is not None:
                target(rows, number)
        except Exception as error:
            return str(error)
        return None

    def forward(rows: DataFrame, number: int) -> None:
        if (reason := failure(rows, number)) is not None:
            raise RunnerError(reason)

    return forward
