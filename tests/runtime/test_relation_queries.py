"""Queries that read tables, from SQL to answers: their clocks, histories and restarts."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pyarrow as pa
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


QUERIES = {
    "kept": "SELECT item, price, name FROM Bid [RANGE 4 SECONDS] JOIN Item ON item = id",
    "met": "SELECT item, made, name FROM Bid LEFT JOIN Name ON item = id",
    "late": "SELECT item, name FROM Bid.late AS late JOIN Name ON item = id",
    "held": "SELECT id, name FROM Item UNION ALL SELECT id, name FROM Name",
}


def lived(chance: Random, slack: str) -> tuple[dict[str, object], int]:
    """What queries say in a random life, some of them asked late; and how many entries are left of the
    changes of their table and NRR."""
    newest, wall = 10, HandMovedWall()
    with windrow.connect(runner="inline", wall_clock=wall) as db:
        db.execute(f"CREATE STREAM Bid (item INT, price INT, made TIMESTAMP) ORDER BY made{slack}")
        db.execute(f"{ITEMS}; {NAMES}; INSERT INTO Name VALUES (1, 'a')")
        db.query(QUERIES["kept"])
        for number in range(60):
            wall.move(1000)
            newest += chance.choice([0, 0, 1, 4])
            match chance.choice(["push", "push", "change", "change", "remove", "ask", "run", "run"]):
                case "push":
                    ts = at(newest - chance.choice([0, 0, 1, 9]))
                    db.push("Bid", [(chance.randint(1, 2), number, ts)])
                case "change":
                    table, key = chance.choice(["Item", "Name"]), chance.randint(1, 2)
                    db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({key}, 'v{number}')")
                case "remove":
                    db.execute(f"DELETE FROM Item WHERE id = 1; UPDATE Name SET name = 'u{number}'")
                case "ask":
                    db.query(QUERIES[chance.choice(list(QUERIES))])
                case _:
                    db.run_until_idle()
        db.advance("Bid", at(newest + 9))
        db.run_until_idle()
        # A query over tables alone is told of what was folded as of one instant.
        of_streams = [query for query in db.queries.values() if query.sql != QUERIES["held"]]
        said: dict[str, object] = {query.name: query.changes() for query in of_streams}
        for query in db.queries.values():
            said[f"answer of {query.name}"] = sorted(query.answer().to_pylist(), key=str)
        return said, sum(len(log.index().entries) for log in db.relations.logs.values())


@pytest.mark.parametrize("slack", ["", " SLACK 3 SECONDS"])
@pytest.mark.parametrize("seed", range(4))
def test_folded_histories_tell_the_same(seed: int, slack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories are folded after each batch, or kept whole."""
    whole, entries = lived(Random(seed), slack)
    monkeypatch.setattr("windrow.runtime.relations.HISTORY_ROWS", 0)
    folded, left = lived(Random(seed), slack)
    assert folded == whole
    assert left < entries


def test_a_batch_that_comes_again_finds_its_changes_although_history_is_folded(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash between the batch and the note that it is done; that folded all that is older."""
    monkeypatch.setattr("windrow.runtime.relations.HISTORY_ROWS", 0)
    given: dict[int, list[object]] = {}

    def sink(batch: int, changes: pa.Table) -> None:
        told = changes.drop_columns("ts").to_pylist()
        assert given.setdefault(batch, told) == told

    def crash(*_: object) -> None:
        raise MemoryError

    for turn in range(3):
        with connect(tmp_path) as db, monkeypatch.context() as patched:
            db.execute(f"{ITEMS}; CREATE TABLE Other (x INT)")
            db.query("SELECT id, name FROM Item", into=sink)
            db.run_until_idle()
            for number in range(3):
                if number == 2:
                    patched.setattr("windrow.runtime.inline.Journal.end", crash)
                for id_ in range(4):
                    db.execute(f"INSERT OR REPLACE INTO Item VALUES ({id_}, '{turn}-{number}')")
                with suppress(MemoryError):
                    db.run_until_idle()
            (log, _) = db.relations.logs.values()
            assert len(log.index().entries) < 7
    signs = {"+I": 1, "+U": 1, "-D": -1, "-U": -1}
    sums: Counter[object] = Counter()
    for change in (change for batch in given.values() for change in batch):
        sums[change["id"], change["name"]] += signs[change["op"]]  # type: ignore[index]
    assert {row: sign for row, sign in sums.items() if sign} == {(id_, "2-2"): 1 for id_ in range(4)}


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
