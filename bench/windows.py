"""The tasks over sliding windows, inline on one core, against DuckDB on two threads that evaluates the
window anew at every second of event time.

windrow's answers are right at every instant between the seconds, too.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import duckdb
import pyarrow as pa

import windrow
from bench.harness import Bound, Measurement, Scale, benchmark, measure
from bench.measuring.traffic import COLUMNS
from bench.measuring.window_tasks import SECOND, TASKS, WindowTask, traffic_of

WINDROW, DUCKDB = "windrow, inline, one core", "DuckDB, each second, 2 threads"


@benchmark("windows")
def windows(scale: Scale) -> Iterator[Measurement]:
    """Seven tasks: frames, groups, a join, distinct values, the first ten, negation, duplicates."""
    for task in TASKS:
        rows = scale.size(task.rows, 20_000)
        yield measure(
            f"{task.name}: {task.title}",
            {WINDROW: partial(_windrow, task, rows), DUCKDB: partial(_duckdb, task, rows)},
            work=rows,
            rounds=min(scale.rounds, 3),
            bounds=[Bound(WINDROW, DUCKDB, at_least=task.at_least)],
            remark=f"{rows:,} tuples, 10,000 a second of event time, 1,000 keys",
        )


def _windrow(task: WindowTask, rows: int) -> float:
    """Seconds from the start of the query until all tuples in the log have gone through."""
    with windrow.connect(runner="inline") as db:
        for name in task.streams:
            db.execute(f"CREATE STREAM {name} ({COLUMNS}) ORDER BY ts")
        for tables in traffic_of(task, rows):
            for name, table in tables.items():
                db.push(name, table)
        db.execute(f"INSERT INTO 'blackhole:' {task.query}")
        with _one_core():
            begin = time.perf_counter()
            db.run_until_idle()
            return time.perf_counter() - begin


@contextmanager
def _one_core() -> Iterator[None]:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def _duckdb(task: WindowTask, rows: int) -> float:
    """Seconds to evaluate the window at each second; the tuples are in tables beforehand."""
    with duckdb.connect(config={"threads": 2}) as engine:
        tables = list(traffic_of(task, rows))
        for name in task.streams:
            engine.register("arrived", pa.concat_tables([each[name] for each in tables]))
            engine.execute(f"CREATE TABLE {name} AS SELECT *, epoch_us(ts) AS us FROM arrived")
        evaluate = _change if task.is_changelog else _answer
        begin = time.perf_counter()
        for second in range(1, rows // 10_000 + 1):
            evaluate(engine, task.naive.format(now=second * SECOND))
        return time.perf_counter() - begin


def _answer(engine: duckdb.DuckDBPyConnection, query: str) -> None:
    engine.sql(query).to_arrow_table()


def _change(engine: duckdb.DuckDBPyConnection, query: str) -> None:
    """The answer, and how it differs from the one before."""
    engine.execute(f"CREATE OR REPLACE TABLE answer AS {query}")
    engine.execute("CREATE TABLE IF NOT EXISTS last AS FROM answer LIMIT 0")
    engine.sql("FROM answer EXCEPT ALL FROM last").to_arrow_table()
    engine.sql("FROM last EXCEPT ALL FROM answer").to_arrow_table()
    engine.execute("CREATE OR REPLACE TABLE last AS FROM answer")
