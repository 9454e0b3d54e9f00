"""Queries that read tables, from SQL to answers: their clocks, histories and restarts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import windrow
from tests.conftest import NOON, Connect, HandMovedWall
from windrow.errors import Refused

BIDS = "CREATE STREAM Bid (item INT, price INT, made TIMESTAMP) ORDER BY made RETAIN 1 DAY"
ITEMS = "CREATE TABLE Item (id INT PRIMARY KEY, name VARCHAR)"
NAMES = "CREATE NRR Name (id INT PRIMARY KEY, name VARCHAR)"
START = datetime(2026, 1, 1, 12)


def at(seconds: int) -> datetime:
    return START + timedelta(seconds=seconds)


def on_the_wall(wall: HandMovedWall) -> datetime:
    return datetime.fromtimestamp(wall.now / 1e6, UTC).replace(tzinfo=None)


def test_tables_alone_go_by_the_clock_on_the_wall(db: windrow.Database, wall: HandMovedWall) -> None:
    db.execute(f"{BIDS}; {ITEMS}; INSERT INTO Bid VALUES (1, 1, '2001-01-01')")
    query = db.query("SELECT name FROM Item")
    db.run_until_idle()
    assert query.clock is None
    instants = []
    for number in range(3):
        wall.move(1000)
        db.execute(f"INSERT INTO Item VALUES ({number}, 'x')")
        instants.append(on_the_wall(wall))
    db.run_until_idle()
    assert query.changes()["ts"].to_pylist() == instants
    assert query.clock == wall.now


def test_the_clock_of_tables_never_falls(connect: Connect, wall: HandMovedWall) -> None:
    db = connect()
    db.execute(f"{ITEMS}; INSERT INTO Item VALUES (1, 'x')")
    query = db.query("SELECT name FROM Item")
    wall.now = NOON - 5_000_000
    db.execute("INSERT INTO Item VALUES (2, 'y')")
    db.run_until_idle()
    assert query.clock == NOON
    assert query.changes()["name"].to_pylist() == ["x", "y"]


def test_rows_that_were_there_before_any_tuple_have_no_instant(db: windrow.Database) -> None:
    db.execute(f"{BIDS}; {ITEMS}; INSERT INTO Item VALUES (1, 'x')")
    query = db.query("SELECT name, price FROM Item LEFT JOIN Bid [NOW] ON item = id", name="q")
    db.execute("ASSERT CHANGES OF q WITH TIMES AS (VALUES ('+I', NULL, 'x', NULL))")
    db.push("Bid", [(1, 5, at(0))])
    db.run_until_idle()
    assert query.changes()["ts"].to_pylist() == [at(0), at(0)]


@pytest.mark.parametrize("batch_rows", [1, 1000])
def test_a_new_query_sees_each_tuple_with_the_rows_of_its_time(connect: Connect, batch_rows: int) -> None:
    db = connect(batch_rows=batch_rows)
    db.execute(f"{BIDS}; {NAMES}; {ITEMS}")
    for second in range(4):
        for table in ("Name", "Item"):
            db.execute(f"INSERT OR REPLACE INTO {table} VALUES (1, 'v{second}')")
        db.push("Bid", [(1, second, at(second)), (1, 10 + second, at(second))])
    met = db.query("SELECT price, name FROM Bid JOIN Name ON item = id")
    held = db.query("SELECT price, name FROM Bid [RANGE 1 HOUR] JOIN Item ON item = id")
    db.run_until_idle()
    tuples = [price for second in range(4) for price in (second, 10 + second)]
    assert [tuple(row.values()) for row in met.answer().to_pylist()] == [
        (price, f"v{price % 10}") for price in tuples
    ]
    assert sorted(tuple(row.values()) for row in held.answer().to_pylist()) == sorted(
        (price, "v3") for price in tuples
    )


def test_tuples_that_the_system_stamps_stand_before_a_change_or_after_it(db: windrow.Database) -> None:
    """The wall stands still all the time."""
    db.execute(f"CREATE STREAM S (id INT); {NAMES}; INSERT INTO Name VALUES (1, 'old')")
    query = db.query("SELECT name FROM S JOIN Name USING (id)")
    db.push("S", [(1,), (1,)])
    db.execute("UPDATE Name SET name = 'new'")
    db.push("S", [(1,)])
    db.run_until_idle()
    assert query.answer()["name"].to_pylist() == ["old", "old", "new"]


def test_late_tuples_can_be_joined(db: windrow.Database) -> None:
    db.execute(f"{BIDS}; {NAMES}; INSERT INTO Name VALUES (1, 'x')")
    query = db.query("SELECT name, price FROM Bid.late AS late JOIN Name ON late.item = id")
    db.push("Bid", [(1, 5, at(9))])
    db.push("Bid", [(1, 7, at(0))])
    db.run_until_idle()
    assert query.answer().to_pylist() == [{"name": "x", "price": 7}]


def test_snapshots_read_tables(db: windrow.Database) -> None:
    db.execute(f"{BIDS}; {ITEMS}; {NAMES}; INSERT INTO Item VALUES (1, 'x')")
    db.push("Bid", [(1, 5, at(0)), (2, 6, at(0))])
    db.execute("INSERT INTO Item VALUES (2, 'y'); INSERT INTO Name VALUES (2, 'z')")
    db.push("Bid", [(2, 7, at(1))])

    def asked(sql: str) -> list[object]:
        return [tuple(row.values()) for row in db.snapshot(sql).to_pylist()]

    assert asked("SELECT name FROM Item WHERE id > 1") == [("y",)]
    assert asked("SELECT count(*) FROM Item, Name") == [(2,)]
    assert asked("SELECT price, name FROM Bid [RANGE 1 HOUR] JOIN Item ON item = id WHERE id = 2") == [
        (6, "y"),
        (7, "y"),
    ]
    assert asked("SELECT price, name FROM Bid JOIN Name ON item = id") == [(7, "z")]
    assert asked("SELECT price FROM Bid JOIN Item ON item = id WHERE id = 1") == [(5,)]


def test_what_may_be_unbounded_stays_so_after_a_restart(connect: Connect, tmp_path: Path) -> None:
    derived = "CREATE STREAM Named AS SELECT name, made FROM Bid, Item WHERE item = id"
    with connect(tmp_path) as db:
        db.execute(f"{BIDS}; {ITEMS}; INSERT INTO Item VALUES (1, 'x')")
        with pytest.raises(Refused, match="updates of Item reach back to all tuples of Bid"):
            db.execute(derived)
        db.execute(f"SET allow_unbounded = true; {derived}; CREATE QUERY q AS SELECT name FROM Named")
    with connect(tmp_path) as db:
        db.push("Bid", [(1, 5, at(0))])
        db.run_until_idle()
        assert db.queries["q"].answer().to_pylist() == [{"name": "x"}]


def test_a_batch_that_a_sink_refused_brings_the_same_changes_again(db: windrow.Database) -> None:
    told: list[list[str]] = []
    full = True

    def sink(_batch: int, changes: object) -> None:
        if full:
            raise ValueError("full")
        told.append(changes["name"].to_pylist())  # type: ignore[index]

    db.execute(f"{BIDS}; {NAMES}; INSERT INTO Name VALUES (1, 'old')")
    db.query("SELECT name FROM Bid JOIN Name ON item = id", into=sink)
    db.push("Bid", [(1, 5, at(0))])
    db.execute("UPDATE Name SET name = 'new'")
    with pytest.raises(windrow.Error, match="full"):
        db.run_until_idle()
    db.execute("UPDATE Name SET name = 'newest'")
    db.push("Bid", [(1, 6, at(1))])
    full = False
    db.run_until_idle()
    assert [name for names in told for name in names] == ["old", "newest"]
