"""Queries whose first stage sends the same share it: it is run, and sent, once."""

from __future__ import annotations

import pytest

import windrow
from tests.conftest import Connect
from windrow.log.reading import Slice
from windrow.runtime.execution import NUMBER, PROGRAM, Batch, Exchanged, Work

STREAM = "CREATE STREAM S (k INT, note VARCHAR, t TIMESTAMP) ORDER BY t"
SECOND = 1_000_000


def counts(seconds: int, of: str = "k", where: str = "k > 0") -> str:
    return f"SELECT {of}, COUNT(*) AS n FROM S [RANGE {seconds} SECONDS] WHERE {where} GROUP BY {of}"


@pytest.fixture
def db(connect: Connect) -> windrow.Database:
    opened = connect()
    opened.execute(STREAM)
    return opened


def feed(db: windrow.Database, *keys: int, at: int) -> None:
    db.push("S", [(k, "1", (at + place) * SECOND) for place, k in enumerate(keys)])
    db.run_until_idle()


def answer(query: windrow.Query) -> dict[int, int]:
    return {row["k"]: row["n"] for row in query.answer().to_pylist()}


def senders(db: windrow.Database) -> list[str]:
    """The queries for which a batch of all that there is would send something."""
    pipeline = db._pipeline
    end = pipeline.next_batch({PROGRAM: 0, NUMBER: 0})
    assert end is not None
    work = Work(pipeline.program, Batch({}, end), 2, pipeline.checkpoint.path)
    messages = work.first_stage(pipeline.logs, Slice())
    return sorted({each.query for each in messages if isinstance(each, Exchanged)})


def test_one_sends_for_all_that_need_the_same(db: windrow.Database) -> None:
    short, long = db.query(counts(2), "short"), db.query(counts(10), "long")
    other = db.query(counts(10, where="k > 1"), "other")
    db.query("SELECT k FROM S", "answer")
    feed(db, 1, 2, 1, 0, at=1)
    assert senders(db) == ["other", "short"]
    assert (answer(short), answer(long), answer(other)) == ({1: 1}, {1: 2, 2: 1}, {2: 1})
    steps = [
        [each for each in query.metrics()["steps"] if each["step"][0] == "0"] for query in (short, long)
    ]
    assert [{**each, "seconds": 0} for each in steps[0]] == steps[1]


def test_the_others_go_on_without_the_one_that_sent(db: windrow.Database) -> None:
    short, long = db.query(counts(2), "short"), db.query(counts(10), "long")
    feed(db, 1, 2, at=1)
    short.stop()
    feed(db, 1, 3, at=3)
    assert answer(long) == {1: 2, 2: 1, 3: 1}
    late = db.query(counts(20), "late")
    feed(db, 2, at=5)
    assert answer(late) == answer(long) == {1: 2, 2: 2, 3: 1}
    assert senders(db) == ["long"]


def test_what_an_expression_fails_on_is_told_of_each(db: windrow.Database) -> None:
    queries = [db.query(counts(seconds, where="CAST(note AS INT) = 1")) for seconds in (2, 10)]
    db.push("S", [(1, "x", SECOND), (1, "1", SECOND)])
    db.run_until_idle()
    assert [query.metrics()["failed"] for query in queries] == [1, 1]
    assert [answer(query) for query in queries] == [{1: 1}, {1: 1}]
