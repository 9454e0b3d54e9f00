"""State on Spark moves to more buckets, and to fewer, and is whole when a task dies: nothing is lost, and
nothing comes twice."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

import windrow
from tests.conftest import Connect
from tests.runtime.stateful import QUERIES, STREAMS, feed, script, turns, written
from windrow.cli.state import state_table

pytestmark = [pytest.mark.spark, pytest.mark.timeout(240)]
COUNTS = (2, 3, 1)
MASTER = "local[2,3]"
"""A task may fail twice."""


def test_what_queries_remember_moves(connect: Connect, tmp_path: Path) -> None:
    for turn in turns(len(COUNTS)):
        with connect(tmp_path / "inline" / "kept") as db:
            db.execute(script(tmp_path / "inline"))
            feed(db, turn)
    folder, rows = tmp_path / "spark", (0, 10_000)
    for number, (count, turn) in enumerate(zip(COUNTS, turns(len(COUNTS)), strict=True)):
        settings = {"buckets": count, "driver_rows": rows[number % 2]}
        with windrow.connect("spark", MASTER, folder / "kept", **settings) as db:
            db.execute(script(folder))
            feed(db, turn)
            said = db.notices()
        assert len(said) == (len(QUERIES) if number else 0)
        assert all(f"was moved to {count} buckets" in each for each in said)
        told = state_table(folder / "kept").to_pylist()
        assert {each["bucket"] for each in told if each["query"] == "q2"} == set(range(count))
    assert written(folder) == written(tmp_path / "inline")

    shutil.rmtree(folder)
    with windrow.connect("spark", MASTER, folder / "kept") as db:
        db.execute(script(folder))
        feed(db, next(turns(1)))
    assert state_table(folder / "kept").num_rows, "another run in the same place is another run"


def test_a_task_that_dies_is_run_again(tmp_path: Path) -> None:
    with windrow.connect("spark", MASTER, tmp_path / "kept", driver_rows=0) as db:
        db.execute(STREAMS)
        db.execute(
            "CREATE AGGREGATE tally(folder VARCHAR) : INT LANGUAGE PYTHON"
            " AS 'tests.runtime.spark.crashing:Count'"
        )
        query = db.query(
            f"SELECT who, tally('{tmp_path}') OVER (PARTITION BY who ROWS UNBOUNDED PRECEDING) AS n"
            " FROM Bid"
        )
        for turn in turns(5):
            feed(db, turn)
        counted = Counter((row["who"], row["n"]) for row in query.answer().to_pylist())
    bids = Counter(who for turn in turns(5) for who in turn["Bid"]["who"].to_pylist())
    assert counted == Counter((who, n + 1) for who, count in bids.items() for n in range(count))
    assert list(tmp_path.glob("crash at *"))
