"""State moves to more buckets, and to fewer: nothing is lost, and nothing comes twice."""

from __future__ import annotations

from pathlib import Path

import pytest

import windrow
from tests.conftest import Connect
from tests.runtime.stateful import QUERIES, feed, script, turns, written
from windrow.cli.state import state_table

pytestmark = [pytest.mark.spark, pytest.mark.timeout(240)]
COUNTS = (2, 3, 1)


def test_what_queries_remember_moves(connect: Connect, tmp_path: Path) -> None:
    for turn in turns(len(COUNTS)):
        with connect(tmp_path / "inline" / "kept") as db:
            db.execute(script(tmp_path / "inline"))
            feed(db, turn)
    folder, rows = tmp_path / "spark", (0, 10_000)
    for number, (count, turn) in enumerate(zip(COUNTS, turns(len(COUNTS)), strict=True)):
        settings = {"buckets": count, "driver_rows": rows[number % 2]}
        with windrow.connect("spark", "local[2]", folder / "kept", **settings) as db:
            db.execute(script(folder))
            feed(db, turn)
            said = db.notices()
        assert len(said) == (len(QUERIES) if number else 0)
        assert all(f"was moved to {count} buckets" in each for each in said)
        told = state_table(folder / "kept").to_pylist()
        assert {each["bucket"] for each in told if each["query"] == "q2"} == set(range(count))
    assert written(folder) == written(tmp_path / "inline")
