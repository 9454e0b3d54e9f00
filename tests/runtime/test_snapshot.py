"""A question asked once sees what has arrived, and leaves nothing behind."""

from __future__ import annotations

import pytest

import windrow
from tests.conftest import Connect
from windrow.errors import UnknownName

BIDS = "CREATE STREAM Bid (item INT, price REAL, at TIMESTAMP) ORDER BY at SLACK 1 MINUTE"
ROWS = [(1, 5.0, "2026-01-01 12:00:00"), (2, 50.0, "2026-01-01 12:00:01"), (3, 70.0, "2026-01-01 12:05:00")]
DEAR = "SELECT item FROM Bid WHERE price > 10"


def test_it_is_complete_up_to_the_clock_of_its_streams(db: windrow.Database) -> None:
    db.execute(BIDS)
    db.push("Bid", ROWS)
    assert db.snapshot(DEAR).to_pylist() == [{"item": 2}]
    db.advance("Bid", "2026-01-01 12:10:00")
    assert db.snapshot(DEAR).to_pylist() == [{"item": 2}, {"item": 3}]


def test_running_queries_take_no_notice(db: windrow.Database) -> None:
    db.execute(BIDS)
    running = db.query(DEAR)
    db.push("Bid", ROWS)
    db.run_until_idle()
    assert db.snapshot("SELECT item FROM Bid").num_rows == 2
    assert list(db.queries) == [running.name]
    assert running.answer().to_pylist() == [{"item": 2}]


def test_a_statement_asks_it(db: windrow.Database) -> None:
    first, _, last = db.execute(f"{BIDS}; INSERT INTO Bid VALUES (9, 99, '2026-01-01'); SNAPSHOT {DEAR}")
    assert first.table is None
    assert last.table is not None
    assert last.table.column_names == ["item"]


def test_a_mistake_is_told_with_its_place(db: windrow.Database) -> None:
    db.execute(BIDS)
    with pytest.raises(UnknownName, match="column 17: there is no column 'itm'"):
        db.execute("SNAPSHOT SELECT itm FROM Bid")


def test_it_sees_what_a_checkpoint_holds(connect: Connect, tmp_path: object) -> None:
    with windrow.connect(runner="inline", checkpoint=f"{tmp_path}/kept") as db:
        db.execute(BIDS)
        db.query("SELECT item FROM Bid")
        db.push("Bid", ROWS)
        db.run_until_idle()
    again = connect(f"{tmp_path}/kept")
    assert again.snapshot(DEAR).to_pylist() == [{"item": 2}]
