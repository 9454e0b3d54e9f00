"""The Spark runner, on Spark: in the driver and in workers, with queries that come and go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyspark.sql import SparkSession

import windrow
from tests.runtime.spark.packets import STREAM, packets
from windrow.runtime.phases import PHASES

pytestmark = [pytest.mark.spark, pytest.mark.timeout(240)]
WORKERS_ONLY = 0
LARGE = 120_000
"""So many rows are cut into slices."""


@pytest.fixture(params=[WORKERS_ONLY, 10_000], ids=["workers", "driver"])
def db(request: pytest.FixtureRequest) -> Iterator[windrow.Database]:
    with windrow.connect(driver_rows=request.param) as opened:
        opened.execute(STREAM)
        yield opened


def numbers(table: pa.Table) -> list[int]:
    found: list[int] = table["src"].to_pylist()
    return found


def test_answers_follow_what_is_pushed(db: windrow.Database) -> None:
    even = db.query("SELECT src FROM Packets WHERE src % 2 = 0")
    db.push("Packets", packets(0, 10))
    db.run_until_idle()
    assert numbers(even.changes()) == [0, 2, 4, 6, 8]
    db.push("Packets", packets(10, LARGE))
    db.run_until_idle()
    assert numbers(even.changes()) == list(range(10, LARGE + 10, 2))
    assert even.answer().num_rows == LARGE // 2 + 5


def test_queries_come_and_go_while_it_runs(db: windrow.Database) -> None:
    first = db.query("SELECT src FROM Packets")
    db.push("Packets", packets(0, 3))
    db.run_until_idle()
    later = db.query("SELECT src + 1 AS src FROM Packets", name="later")
    db.push("Packets", packets(3, 2))
    db.run_until_idle()
    assert numbers(later.changes()) == [1, 2, 3, 4, 5], "a new query starts with the history"
    first.stop()
    db.push("Packets", packets(5, 1))
    db.run_until_idle()
    assert numbers(later.changes()) == [6]
    assert list(db.queries) == ["later"]


def test_a_union_without_all_keeps_its_state_between_batches(db: windrow.Database) -> None:
    once = db.query("SELECT ts, src FROM Packets UNION SELECT ts, src FROM Packets")
    for _ in range(2):
        db.push("Packets", packets(7, 1))
        db.run_until_idle()
    assert numbers(once.changes()) == [7]


def test_files_hold_every_tuple_once_over_a_restart(tmp_path: Path) -> None:
    into = f"INSERT INTO 'file://{tmp_path}/out?format=parquet' SELECT ts, src FROM Packets"
    for turn in range(2):
        with windrow.connect(checkpoint=tmp_path / "checkpoint", driver_rows=WORKERS_ONLY) as db:
            db.execute(STREAM)
            (outcome,) = db.execute(into)
            db.push("Packets", packets(turn * LARGE, LARGE))
            db.run_until_idle()
            assert outcome.query is not None
    written = ds.dataset(tmp_path / "out", format="parquet").to_table()
    assert sorted(numbers(written)) == list(range(2 * LARGE))


def test_spark_is_told_what_runs_and_the_metrics_where_time_went() -> None:
    with windrow.connect(driver_rows=WORKERS_ONLY) as db:
        db.execute(STREAM)
        query = db.query(
            "SELECT src, COUNT(*) AS n FROM Packets [RANGE 1 MINUTE] GROUP BY src", name="counts"
        )
        db.push("Packets", packets(0, 3))
        db.run_until_idle()
        told = query.metrics()
        assert all(told["phases"][name] > 0 for name in PHASES)
        assert set(db.metrics().last_batch) == set(PHASES)
        (active,) = SparkSession.builder.getOrCreate().streams.active
        assert active.name.startswith("windrow /")
        jobs = SparkSession.builder.getOrCreate().sparkContext._jsc.sc().statusStore().jobsList(None)
        newest = jobs.apply(0).description().get()
        assert newest == "windrow batch 1: 3 tuples, 2 stages; counts"


def test_whoever_pushes_more_than_is_processed_waits(tmp_path: Path) -> None:
    with windrow.connect(backlog=100_000, batch_rows=20_000, checkpoint=tmp_path) as db:
        db.execute(STREAM)
        query = db.query("SELECT src FROM Packets", into="blackhole:")
        db.run_until_idle()
        for turn in range(8):
            db.push("Packets", packets(turn * 20_000, 20_000))
            assert db.metrics().lag < 40_000
        db.run_until_idle()
        assert query.metrics()["tuples_out"] == 160_000
        db.execute("SET batch_rows = 1000")
        db.run_until_idle()
        before = db.metrics().batches
        for turn in range(3):
            db.push("Packets", packets(160_000 + turn * 1000, 1000))
        db.run_until_idle()
        assert (query.metrics()["tuples_out"], db.metrics().batches) == (163_000, before + 3)


def test_a_tuple_that_an_expression_fails_on_is_counted(db: windrow.Database) -> None:
    query = db.query(
        "SELECT src, CAST(CASE src WHEN 3 THEN 'x' ELSE note END AS INTEGER) AS n FROM Packets"
    )
    db.push("Packets", packets(0, 6))
    db.run_until_idle()
    assert numbers(query.changes()) == [0, 1, 2, 4, 5]
    assert query.metrics()["failed"] == 1


def test_a_callback_that_fails_stops_the_run_and_gets_its_batch_again(tmp_path: Path) -> None:
    given: list[int] = []

    def fail(_batch: int, _changes: pa.Table) -> None:
        raise ValueError("not today")

    def keep(_batch: int, changes: pa.Table) -> None:
        given.extend(numbers(changes))

    for function in (fail, keep):
        with windrow.connect(checkpoint=tmp_path) as db:
            db.execute(STREAM)
            db.query("SELECT src FROM Packets", into=function)
            if function is fail:
                db.push("Packets", packets(0, 3))
                with pytest.raises(windrow.Error, match="not today"):
                    db.run_until_idle()
            else:
                db.run_until_idle()
    assert given == [0, 1, 2]
