"""What running streams tell of themselves, and that queries are planned by it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import windrow
from windrow.database import Database
from windrow.plan.statistics import Statistics
from windrow.runtime.observing import LEAST, SAMPLE, different

DECLARED = """
    CREATE STREAM Bid (item INT, price REAL, at TIMESTAMP, tags VARCHAR[]) ORDER BY at;
    CREATE STREAM Ask (item INT, at TIMESTAMP) ORDER BY at
"""
JOINED = "SELECT Bid.item FROM Bid [RANGE 1 MINUTE], Ask [RANGE 1 MINUTE] WHERE Bid.item = Ask.item"


def feed(db: Database, count: int) -> None:
    """Ten bids a second of 40 items."""
    rows = [(number % 40, number / 7, number * 100_000, []) for number in range(count)]
    db.push(
        "Bid", pa.table(dict(zip(("item", "price", "at", "tags"), zip(*rows, strict=True), strict=True)))
    )


def known(db: Database, name: str) -> Statistics:
    (text,) = [text for text in db._pipeline.program.queries if text.name == name]
    return Statistics.read(text.statistics)


def test_a_query_is_written_down_with_what_was_known() -> None:
    with windrow.connect(runner="inline") as db:
        db.execute(DECLARED)
        feed(db, 5 * LEAST)
        seen = known(db, db.query(JOINED).name)
        assert seen.rate("Bid") == 10
        assert seen.values("Bid", "item") == 40
        assert seen.values("Bid", "price") is not None
        assert seen.values("Bid", "tags") is None
        assert [name for name, _ in seen.seen] == ["bid"]


def test_a_few_tuples_tell_nothing() -> None:
    with windrow.connect(runner="inline") as db:
        db.execute(DECLARED)
        feed(db, LEAST - 1)
        assert known(db, db.query(JOINED).name) == Statistics()


def test_explain_tells_what_is_guessed() -> None:
    with windrow.connect(runner="inline") as db:
        db.execute(DECLARED)
        assert "what is not known of Bid, Ask is guessed" in db.explain(JOINED)
        feed(db, LEAST)
        assert "what is not known of Ask is guessed" in db.explain(JOINED)


def test_what_was_known_is_there_after_a_restart(tmp_path: Path) -> None:
    with windrow.connect(runner="inline", checkpoint=tmp_path) as db:
        db.execute(DECLARED)
        feed(db, LEAST)
        before = db.query(JOINED).explain()
    with windrow.connect(runner="inline", checkpoint=tmp_path) as db:
        assert db.queries["q1"].explain() == before


def test_rows_of_tables_are_known() -> None:
    with windrow.connect(runner="inline") as db:
        db.execute("CREATE STREAM Bid (item INT); CREATE TABLE Item (id INT PRIMARY KEY)")
        db.push("Item", [(number,) for number in range(70)])
        asked = "SELECT id FROM Bid [ROWS 5], Item WHERE item = id"
        assert '"keeps"' in db.explain(asked, "json")
        assert Statistics.read(db._planning(asked).statistics).rows("Item") == 70


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1, 1, 2, 2, 3, 3], 3), ([1, 2, 3, 4], 10), ([1, 1, 2, 3], 3.5), ([None, 5, 5], 1), ([], 0)],
)
def test_unseen_values_are_counted_in(values: list[int | None], expected: float) -> None:
    assert different(pa.chunked_array([pa.array(values, pa.int64())])) == expected


def test_only_the_newest_tuples_are_looked_at() -> None:
    with windrow.connect(runner="inline") as db:
        db.execute("CREATE STREAM S (a INT, at TIMESTAMP) ORDER BY at")
        old = [(number, number) for number in range(SAMPLE)]
        db.push("S", old)
        db.push("S", [(number % 3, SAMPLE + number) for number in range(SAMPLE)])
        found = Statistics.read(db._planning("SELECT a FROM S").statistics)
        assert found.values("S", "a") == 3


MATCHED = """
    SELECT x.item, x.n AS one, y.n AS other FROM X [RANGE 10 SECONDS] AS x, Y [RANGE 10 SECONDS] AS y
    WHERE x.item = y.item AND NOT EXISTS (SELECT * FROM Z [RANGE 10 SECONDS] AS z WHERE z.item = x.item)
"""


def test_a_query_is_planned_by_what_streams_are_like_and_answers_the_same() -> None:
    """Of few items most pairs are dropped again, so the negation goes below; a stream that nothing is known
    of is taken to have many."""
    with windrow.connect(runner="inline") as db:
        for name in "XYZ":
            db.execute(f"CREATE STREAM {name} (item INT, n INT, at TIMESTAMP) ORDER BY at")
        before = db.query(MATCHED)
        for name, items in (("X", 31), ("Y", 31), ("Z", 20)):
            db.push(name, [(number % items, number, number * 50_000) for number in range(LEAST)])
        after = db.query(MATCHED)
        assert "chosen: push down negation" in after.explain()
        assert after.explain() != before.explain()
        for name in "XYZ":
            db.push(name, [(25, number, 50_000_000 + number) for number in range(3 if name < "Z" else 0)])
            db.advance(name, 52_000_000)
        db.run_until_idle()
        given = [sorted(each.answer().to_pylist(), key=str) for each in (before, after)]
        assert given[0] == given[1]
        assert len(given[0]) > 100
