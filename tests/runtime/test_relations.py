"""What tables hold after any statements, through restarts, against plain Python dicts."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import windrow
from tests.conftest import Connect
from windrow.errors import KeyConflict, Refused, SourceError, TypeMismatch
from windrow.log.relation_log import read_entries

ITEM = "CREATE TABLE Item (id INT PRIMARY KEY, name VARCHAR, price DOUBLE)"
COMPANY = "CREATE NRR Company (symbol VARCHAR PRIMARY KEY, title VARCHAR)"
LOG = "CREATE TABLE Log (line VARCHAR)"

Row = tuple[object, ...]


def held(db: windrow.Database, table: str) -> list[Row]:
    return sorted((tuple(row.values()) for row in db.rows(table).to_pylist()), key=repr)


@pytest.fixture
def tables(db: windrow.Database) -> windrow.Database:
    db.execute(f"{ITEM}; {COMPANY}; {LOG}")
    return db


def said(db: windrow.Database, sql: str) -> str | None:
    (outcome,) = db.execute(sql)
    return outcome.message


def refused(db: windrow.Database, sql: str) -> tuple[str, int, int]:
    """The message, and the line and the column."""
    before = {name: held(db, name) for name in ("Item", "Company", "Log")}
    with pytest.raises((Refused, TypeMismatch)) as refusal:
        db.execute(sql)
    assert {name: held(db, name) for name in ("Item", "Company", "Log")} == before
    return refusal.value.message, refusal.value.line, refusal.value.column


def test_statements_change_tables_and_say_how_much(tables: windrow.Database) -> None:
    assert said(tables, "INSERT INTO Item VALUES (1, 'a', 2), (2, 'b', NULL)") == "2 rows inserted"
    assert said(tables, "INSERT INTO Item (id, name) SELECT id + 2, name FROM Item") == "2 rows inserted"
    assert (
        said(tables, "UPDATE Item SET price = id * 10, name = name || '!' WHERE id > 2") == "2 rows updated"
    )
    assert said(tables, "DELETE FROM Item WHERE name = 'b'") == "1 row deleted"
    assert said(tables, "INSERT OR REPLACE INTO Item VALUES (3, 'new', 0)") == "1 row inserted"
    assert said(tables, "UPDATE Item SET id = id + 1") == "3 rows updated"
    assert held(tables, "ITEM") == [(2, "a", 2.0), (4, "new", 0.0), (5, "b!", 40.0)]
    assert said(tables, "DELETE FROM Item") == "3 rows deleted"
    assert said(tables, "DELETE FROM Item") == "0 rows deleted"
    assert held(tables, "Item") == []


def test_rows_without_a_key_may_be_alike(tables: windrow.Database) -> None:
    tables.execute("INSERT INTO Log VALUES ('x'), ('x'), (NULL), (NULL)")
    assert said(tables, "DELETE FROM Log WHERE line = 'x'") == "2 rows deleted"
    assert held(tables, "Log") == [(None,), (None,)]


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("INSERT INTO Item VALUES (3, 'x', 1),\n(2, 'y', 1)", ("Item has a row with id = 2 already", 2, 2)),
        ("INSERT INTO Item VALUES (3, 'x', 1), (3, 'y', 1)", ("two of the rows have id = 3", 1, 26)),
        ("INSERT INTO Item (name) VALUES ('x')", ("the key of a row of Item is NULL", 1, 33)),
        ("INSERT INTO Item SELECT * FROM Item", ("Item has a row with id = 1 already", 1, 18)),
        ("UPDATE Item SET id = 7", ("two of the rows have id = 7", 1, 8)),
        ("UPDATE Item SET id = 2 WHERE id = 1", ("Item has a row with id = 2 already", 1, 8)),
        ("UPDATE Item SET id = NULL WHERE id = 1", ("the key of a row of Item is NULL", 1, 8)),
        (
            "INSERT OR REPLACE INTO Item VALUES (3, 'x', 1), (3, 'y', 1)",
            ("two of the rows have id = 3", 1, 37),
        ),
        (
            "UPDATE Item SET price = 1, id = CAST(name AS INT) WHERE id = 1",
            ("could not convert string 'a' to INT32 when casting from source column name", 1, 33),
        ),
        ("DELETE FROM Item WHERE id = 'x'", ("could not convert string 'x' to INT32", 1, 24)),
        (
            "INSERT INTO Item (id) SELECT CAST(name AS INT) FROM Item",
            ("could not convert string 'a' to INT32 when casting from source column name", 1, 23),
        ),
    ],
)
def test_a_statement_that_fails_changes_nothing(
    tables: windrow.Database, sql: str, told: tuple[str, int, int]
) -> None:
    tables.execute("INSERT INTO Item VALUES (1, 'a', 2), (2, 'b', NULL)")
    assert refused(tables, sql) == told


def test_a_key_of_several_columns(db: windrow.Database) -> None:
    db.execute("CREATE TABLE Pair (a INT, b VARCHAR, c INT, PRIMARY KEY (a, b))")
    db.execute("INSERT INTO Pair VALUES (1, 'x', 0), (1, 'y', 0), (2, 'x', 0)")
    with pytest.raises(Refused, match="has a row with a = 1 and b = 'y' already"):
        db.execute("INSERT INTO Pair VALUES (1, 'y', 9)")
    with pytest.raises(Refused, match="two of the rows have a = 3 and b = 'z'"):
        db.execute("INSERT INTO Pair VALUES (3, 'z', 9), (3, 'z', 8)")
    db.execute("INSERT OR REPLACE INTO Pair VALUES (1, 'y', 9)")
    assert held(db, "Pair") == [(1, "x", 0), (1, "y", 9), (2, "x", 0)]


def test_an_nrr_never_uses_a_key_again(connect: Connect, tmp_path: Path) -> None:
    again = "Company had a row with symbol = 'SUN' before, and an NRR never uses a key again"
    with connect(checkpoint=tmp_path) as db:
        db.execute(f"{COMPANY}; INSERT INTO Company VALUES ('SUN', 'Sun'), ('IBM', 'Machines'), ('A', 'a')")
        db.execute("UPDATE Company SET title = 'International' WHERE symbol = 'IBM'")
        db.execute("INSERT OR REPLACE INTO Company VALUES ('IBM', 'Business')")
        db.execute(
            "DELETE FROM Company WHERE symbol = 'SUN'; UPDATE Company SET symbol = 'B' WHERE title = 'a'"
        )
        for sql in ("INSERT INTO Company", "INSERT OR REPLACE INTO Company"):
            with pytest.raises(Refused, match=again):
                db.execute(f"{sql} VALUES ('SUN', 'Sol')")
    with connect(checkpoint=tmp_path) as db:
        assert held(db, "Company") == [("B", "a"), ("IBM", "Business")]
        for symbol in ("SUN", "A"):
            with pytest.raises(Refused, match="an NRR never uses a key again"):
                db.execute(f"INSERT INTO Company VALUES ('{symbol}', 'Sol')")


def test_a_table_may_use_a_key_again(tables: windrow.Database) -> None:
    tables.execute("INSERT INTO Item (id) VALUES (1); DELETE FROM Item; INSERT INTO Item (id) VALUES (1)")
    assert held(tables, "Item") == [(1, None, None)]


def test_rows_can_be_pushed(tables: windrow.Database) -> None:
    assert tables.push("item", [(1, "a", 2.0), {"id": 2}][:1]) == 1
    assert tables.push("Item", pa.table({"price": [1.5], "name": ["b"], "id": [2]})) == 1
    assert held(tables, "Item") == [(1, "a", 2.0), (2, "b", 1.5)]
    with pytest.raises(KeyConflict, match="has a row with id = 2 already"):
        tables.push("Item", [(2, "c", 0.0)])
    with pytest.raises(SourceError, match="the rows do not fit Item"):
        tables.push("Item", [(3,)])


def test_only_tables_have_rows(tables: windrow.Database) -> None:
    with pytest.raises(windrow.Error, match="there is no table Itm") as failure:
        tables.rows("Itm")
    assert failure.value.hint == "did you mean Item?"


def test_tables_are_shown_and_described(tables: windrow.Database) -> None:
    tables.execute("INSERT INTO Item (id) VALUES (1), (2)")
    shown, described = tables.execute("SHOW TABLES; DESCRIBE item")
    assert shown.table is not None
    assert described.table is not None
    assert [tuple(row.values()) for row in shown.table.to_pylist()] == [
        ("Item", "table", "id", 2),
        ("Company", "NRR", "symbol", 0),
        ("Log", "table", "", 0),
    ]
    assert [tuple(row.values()) for row in described.table.to_pylist()] == [
        ("id", "INTEGER", "key"),
        ("name", "VARCHAR", ""),
        ("price", "DOUBLE", ""),
    ]


def test_declaring_and_dropping_say_what_they_did(db: windrow.Database) -> None:
    script = (
        f"{ITEM}; CREATE TABLE IF NOT EXISTS item (x INT); {COMPANY}; DROP TABLE item; DROP NRR Company"
    )
    assert [outcome.message for outcome in db.execute(script)] == [
        "table Item created",
        "table item is there already",
        "NRR Company created",
        "table item dropped",
        "NRR Company dropped",
    ]


def test_a_table_that_is_dropped_is_forgotten(connect: Connect, tmp_path: Path) -> None:
    with connect(checkpoint=tmp_path) as db:
        db.execute(f"{ITEM}; INSERT INTO Item (id) VALUES (1); DROP TABLE Item; {ITEM}")
        assert held(db, "Item") == []
        db.execute("INSERT INTO Item (id) VALUES (2); DROP TABLE Item")
    with connect(checkpoint=tmp_path) as db:
        assert not list((tmp_path / "log").iterdir())
        db.execute(ITEM)
        assert held(db, "Item") == []


def test_a_script_that_comes_again_finds_its_tables(connect: Connect, tmp_path: Path) -> None:
    script = f"{ITEM}; INSERT OR REPLACE INTO Item VALUES (1, 'a', 2)"
    for _ in range(3):
        with connect(checkpoint=tmp_path) as db:
            db.check_script(script)
            db.execute(script)
            assert held(db, "Item") == [(1, "a", 2.0)]
            (log,) = db.relations.logs.values()
            assert len(log.index().entries) == 1
    with connect(checkpoint=tmp_path) as db, pytest.raises(windrow.Error, match="of another script"):
        db.check_script("CREATE TABLE Item (id INT)")


def test_all_types_come_back(connect: Connect, tmp_path: Path) -> None:
    columns = (
        "a HUGEINT, b DECIMAL(9, 2), c BLOB, d INTERVAL, e TIMESTAMPTZ, f STRUCT(x INT, y VARCHAR[]),"
        " g MAP(INT, VARCHAR), h UUID, i ENUM('u', 'v'), k TIME, l BOOLEAN"
    )
    values = (
        "1, 2.50, '\\xAA'::BLOB, INTERVAL 3 DAYS, '2026-01-31 12:00:00+00', {'x': 1, 'y': ['z']},"
        " MAP {1: 'one'}, '00000000-0000-0000-0000-000000000001', 'v', '12:30:00', true"
    )
    with connect(checkpoint=tmp_path) as db:
        db.execute(
            f"CREATE TABLE Wide ({columns}); INSERT INTO Wide VALUES ({values});"
            " INSERT INTO Wide (a) VALUES (2)"
        )
        db.execute("UPDATE Wide SET l = false WHERE a = 1; DELETE FROM Wide WHERE a = 2")
        before = db.rows("Wide")
    with connect(checkpoint=tmp_path) as db:
        assert db.rows("Wide").equals(before)
        assert before["l"].to_pylist() == [False]


@contextmanager
def failing_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fdatasync", full)
        yield


def test_a_change_that_cannot_be_logged_was_never_made(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connect(checkpoint=tmp_path) as db:
        db.execute(f"{ITEM}; INSERT INTO Item (id) VALUES (1)")
        with failing_disk(monkeypatch), pytest.raises(SourceError, match="cannot be written"):
            db.execute("INSERT INTO Item (id) VALUES (2)")
        assert held(db, "Item") == [(1, None, None)]
        db.execute("UPDATE Item SET name = 'one'")
    with connect(checkpoint=tmp_path) as db:
        assert held(db, "Item") == [(1, "one", None)]


KEYS = st.integers(1, 5)
NAMES = st.sampled_from(["a", "b", None])
STEPS = st.one_of(
    st.tuples(st.just("insert"), st.lists(st.tuples(KEYS, NAMES), min_size=1, max_size=3)),
    st.tuples(st.just("replace"), st.lists(st.tuples(KEYS, NAMES), min_size=1, max_size=3)),
    st.tuples(st.just("update"), st.tuples(KEYS, NAMES)),
    st.tuples(st.just("move"), st.tuples(KEYS, KEYS)),
    st.tuples(st.just("delete"), KEYS),
    st.tuples(st.just("fold"), st.none()),
    st.tuples(st.just("restart"), st.none()),
)


class Model:
    """A table with a key, and an NRR: the same statements, by the words of the law."""

    def __init__(self, *, nrr: bool) -> None:
        self.nrr = nrr
        self.rows: dict[int, str | None] = {}
        self.past: set[int] = set()

    def follow(self, step: str, given: object) -> bool:
        """Whether the statement is carried out."""
        rows = dict(self.rows)
        match step, given:
            case (("insert" | "replace"), [*pairs]):
                keys = [key for key, _ in pairs]
                if len(set(keys)) < len(keys) or (step == "insert" and rows.keys() & keys):
                    return False
                rows |= dict(pairs)
            case "update", (key, name):
                rows = {each: name if each > key else old for each, old in rows.items()}
            case "move", (key, to):
                if key in rows and key != to:
                    if to in rows:
                        return False
                    rows[to] = rows.pop(key)
            case "delete", key:
                rows.pop(key, None)
        if self.nrr and self.past & rows.keys():
            return False
        self.past |= self.rows.keys() - rows.keys()
        self.rows = rows
        return True


def statement(step: str, given: object) -> str:
    def listed(pairs: list[tuple[int, str | None]]) -> str:
        return ", ".join(f"({key}, {literal(name)})" for key, name in pairs)

    def literal(name: object) -> str:
        return "NULL" if name is None else f"'{name}'"

    match step, given:
        case "insert", [*pairs]:
            return f"INSERT INTO T VALUES {listed(pairs)}"
        case "replace", [*pairs]:
            return f"INSERT OR REPLACE INTO T SELECT * FROM (VALUES {listed(pairs)}) AS v"
        case "update", (key, name):
            return f"UPDATE T SET name = {literal(name)} WHERE id > {key}"
        case "move", (key, to):
            return f"UPDATE T SET id = {to} WHERE id = {key}"
        case _:
            return f"DELETE FROM T WHERE id = {given}"


@given(st.booleans(), st.lists(STEPS, max_size=12))
@settings(deadline=None, max_examples=25)
def test_any_statements_through_restarts(nrr: bool, steps: list[tuple[str, object]]) -> None:
    model = Model(nrr=nrr)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr("windrow.runtime.relations.HISTORY_ROWS", 0)

        def opened() -> windrow.Database:
            return windrow.connect(runner="inline", checkpoint=folder)

        db = opened()
        db.execute(f"CREATE {'NRR' if nrr else 'TABLE'} T (id INT PRIMARY KEY, name VARCHAR)")
        for step, given_ in steps:
            if step == "restart":
                db.close()
                db = opened()
                continue
            if step == "fold":
                db.relations.fold({name: log.index().end - 1 for name, log in db.relations.logs.items()})
                continue
            try:
                db.execute(statement(step, given_))
                done = True
            except Refused:
                done = False
            assert done == model.follow(step, given_)
            assert held(db, "T") == sorted(model.rows.items(), key=repr)
        assert logged(db) == sorted(model.rows.items(), key=repr)
        db.close()


def logged(db: windrow.Database) -> list[Row]:
    """The sum of all that the log says; no row ever leaves that is not there."""
    (log,) = db.relations.logs.values()
    relation = db.catalog.relations["t"]
    changes = read_entries(log, log.index().entries, relation.schema.arrow)
    rows: list[Row] = []
    for row, sign in zip(changes.rows.to_pylist(), np.asarray(changes.sign).tolist(), strict=True):
        (rows.append if sign > 0 else rows.remove)(tuple(row.values()))
    return sorted(rows, key=repr)
