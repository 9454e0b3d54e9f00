"""Queries that remember something in as many ways as there are, and the tuples that they are fed with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import duckdb
import pyarrow as pa

import windrow

STREAMS = """
    CREATE STREAM Bid (item INT, who VARCHAR, price INT, made TIMESTAMP) ORDER BY made;
    CREATE STREAM Sale (item INT, made TIMESTAMP) ORDER BY made
"""
QUERIES = {
    "pairs": "SELECT b.item AS item, b.who AS who FROM Bid [RANGE 20 SECONDS] AS b,"
    " Sale [RANGE 30 SECONDS] AS s WHERE b.item = s.item",
    "different": "SELECT DISTINCT item, who FROM Bid [RANGE 20 SECONDS]",
    "groups": "SELECT who, COUNT(*) AS n, SUM(price) AS total, MAX(price) AS most"
    " FROM Bid [RANGE 20 SECONDS SLIDE 5 SECONDS] GROUP BY who",
    "unsold": "SELECT item, who FROM Bid [RANGE 20 SECONDS] AS b WHERE NOT EXISTS"
    " (SELECT * FROM Sale [RANGE 10 SECONDS] AS s WHERE s.item = b.item)",
    "newest": "SELECT who, MIN(price) AS least FROM Bid [PARTITION BY who ROWS 3] GROUP BY who",
    "frames": "SELECT item, made, SUM(price) OVER (PARTITION BY item RANGE 20 SECONDS PRECEDING)"
    " AS total FROM Bid",
    "dearest": "SELECT item, price FROM Bid [RANGE 20 SECONDS] ORDER BY price DESC LIMIT 3",
}
"""By the names of the folders that they write to."""


def script(folder: Path) -> str:
    writing = (f"INSERT INTO 'file://{folder}/{name}?format=json' {sql}" for name, sql in QUERIES.items())
    return ";\n".join([STREAMS, *writing])


def turns(count: int, seed: int = 1) -> Iterator[dict[str, pa.Table]]:
    """So many batches of tuples; all tuples of a stream are of different instants."""
    chance, second = Random(seed), 0
    for _ in range(count):
        bids, sales = [], []
        for _ in range(25):
            second += 1
            row = {"item": chance.randrange(8), "made": second * 1_000_000}
            bids.append({**row, "who": f"w{chance.randrange(5)}", "price": chance.randrange(100)})
            if chance.random() < 0.4:
                sales.append({**row, "item": chance.randrange(8)})
        yield {"Bid": _table(bids), "Sale": _table(sales)}


def feed(db: windrow.Database, turn: dict[str, pa.Table]) -> None:
    """Let a turn's tuples be processed, and all instants up to the last one pass."""
    for stream, rows in turn.items():
        db.push(stream, rows)
    for stream in turn:
        db.advance(stream, turn["Bid"]["made"][-1].as_py())
    db.run_until_idle()


def written(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """All changes that each query wrote, in no order."""
    with duckdb.connect() as engine:
        return {
            name: sorted(engine.execute(f"SELECT * FROM '{folder}/{name}/part-*.json'").fetchall(), key=str)
            for name in QUERIES
        }


def _table(rows: list[dict[str, object]]) -> pa.Table:
    table = pa.Table.from_pylist(rows)
    place = table.schema.get_field_index("made")
    return table.set_column(place, "made", table["made"].cast(pa.timestamp("us")))
