"""The tasks over sliding windows on Spark, against the least that any keyed Python stage does there.

The yardstick brings equal keys together and passes rows through an identity `mapInArrow`, over the same
Parquet files. windrow reads the files, or the stream log that already has their tuples, logs, evaluates the
windows and keeps state that survives a crash.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq

from bench.harness import Bound, Measurement, Scale, benchmark, measure
from bench.measuring.plain_spark import identity_pass
from bench.measuring.spark_runs import BATCH_ROWS, from_files, from_log
from bench.measuring.traffic import CHUNK, workplace
from bench.measuring.window_tasks import TASKS, W1, W3, WindowTask, traffic_of

PLAIN, FILES, LOG = "plain Spark, repartition and identity", "windrow, files", "windrow, stream log"
FROM_FILES = {W1.name: 0.7, W3.name: 0.4}
FROM_LOG = {W3.name: 0.8}


@benchmark("windows_spark")
def windows_spark(scale: Scale) -> Iterator[Measurement]:
    """Seven tasks, from files and from the stream log."""
    for task in TASKS:
        rows = scale.size(4_000_000, 100_000)
        with workplace() as work:
            _write(task, rows, work / "in")
            yield measure(
                f"{task.name}: {task.title}",
                {
                    PLAIN: partial(identity_pass, work / "in" / "*", work, BATCH_ROWS // CHUNK, "src"),
                    FILES: partial(from_files, task.query, task.streams, rows, work),
                    LOG: partial(_from_log, task, rows, work),
                },
                work=rows,
                rounds=min(scale.rounds, 3),
                bounds=[
                    Bound(FILES, PLAIN, at_least=FROM_FILES.get(task.name, 0.6)),
                    Bound(LOG, PLAIN, at_least=FROM_LOG.get(task.name, 1.2)),
                ],
                remark=f"{rows:,} tuples, at most {BATCH_ROWS:,} a batch; results are dropped",
            )


def _write(task: WindowTask, rows: int, folder: Path) -> None:
    """A folder of files for each stream."""
    for number, tables in enumerate(traffic_of(task, rows)):
        for name, table in tables.items():
            (folder / name).mkdir(parents=True, exist_ok=True)
            pq.write_table(table, folder / name / f"{number:05d}.parquet")


def _from_log(task: WindowTask, rows: int, work: Path) -> float:
    return rows * from_log([task.query], traffic_of(task, rows), work)
