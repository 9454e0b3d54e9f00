"""State on Spark moves to more buckets, and to fewer, and is whole when a task dies: nothing is lost, and
nothing comes twice."""

from __future__ import annotations

import shutil
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import windrow
from tests.conftest import Connect
from tests.runtime.stateful import QUERIES, STREAMS, feed, script, turns, written
from windrow.cli.state import state_table
from windrow.log.file_log import FileLog
from windrow.runtime import pipeline, remaking

pytestmark = [pytest.mark.spark, pytest.mark.timeout(240)]
COUNTS = (2, 3, 1)
TURNS = (4, 1, 1)
"""With each number of buckets."""
MASTER = "local[2,3]"
"""A task may fail twice."""


def test_what_queries_remember_moves(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for that of a window of so many tuples of each key: of these the logs drop some, and it stays."""
    monkeypatch.setattr(pipeline, "FileLog", partial(FileLog, segment_bytes=1))
    for turn in turns(sum(TURNS)):
        with connect(tmp_path / "inline" / "kept") as db:
            db.execute(script(tmp_path / "inline"))
            feed(db, turn)
    folder, feeding = tmp_path / "spark", turns(sum(TURNS))
    for number, count in enumerate(COUNTS):
        settings = {"buckets": count, "driver_rows": 0 if number == 1 else 10_000}
        if number == 1:
            fail_half_way(folder, settings, monkeypatch)
        with windrow.connect("spark", MASTER, folder / "kept", **settings) as db:
            db.execute(script(folder))
            for _ in range(TURNS[number]):
                feed(db, next(feeding))
            said = db.notices()
        moved = [each for each in said if f"was moved to {count} buckets" in each]
        assert len(moved) == (len(QUERIES) - 1 if number else 0)
        told = state_table(folder / "kept").to_pylist()
        for query, buckets in (("q2", count), ("q5", COUNTS[0])):
            assert {each["bucket"] for each in told if each["query"] == query} == set(range(buckets))
    assert written(folder) == written(tmp_path / "inline")

    shutil.rmtree(folder)
    with windrow.connect("spark", MASTER, folder / "kept") as db:
        db.execute(script(folder))
        feed(db, next(turns(1)))
    assert state_table(folder / "kept").num_rows, "another run in the same place is another run"


def fail_half_way(folder: Path, settings: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the state of some queries move, and then no more."""
    remake, some = remaking._remake, iter(range(3))

    def remake_some(*given: Any) -> None:
        if next(some, None) is None:
            raise windrow.Error("no further")
        remake(*given)

    monkeypatch.setattr(remaking, "_remake", remake_some)
    with windrow.connect("spark", MASTER, folder / "kept", **settings) as db:
        db.execute(script(folder))
        with pytest.raises(windrow.Error, match="no further"):
            db.run_until_idle()
        assert "q5 stays in the buckets that it has: the log holds too little to move it" in db.notices()
    monkeypatch.setattr(remaking, "_remake", remake)


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
