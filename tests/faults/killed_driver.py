"""A driver that is made to be killed: bids from a socket and auctions from files, into Parquet.

`python killed_driver.py RUNNER CHECKPOINT PORT FOLDER DRIVER_ROWS`: files come into FOLDER/in, and each
query writes into a folder of its name. It runs until there is a file FOLDER/finish; then it processes all
that has come, says that no more will, and ends.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import windrow

FORMATS = {"spark": "parquet", "inline": "csv"}
END = "2100-01-01"
TUPLES = {
    "bids": "SELECT id, made FROM Bid",
    "auctions": "SELECT id, made FROM Auction",
    "both": "SELECT id, kind, made FROM Bid UNION ALL SELECT id, kind, made FROM Auction",
    "moments": "SELECT kind, made FROM Bid UNION SELECT kind, made FROM Auction",
}


def windows(partners: str) -> dict[str, str]:
    """Queries over windows; the condition says which bids `b` and auctions `a` belong together."""
    return {
        "pairs": f"""SELECT b.id AS id, b.made AS bid_at, a.made AS auction_at
            FROM Bid [RANGE 2 SECONDS] AS b, Auction [RANGE 2 SECONDS] AS a WHERE {partners}""",
        "kinds": "SELECT DISTINCT kind, made FROM Bid [RANGE 1 SECOND]",
        "totals": """SELECT kind, COUNT(*) AS count, SUM(id) AS total, MAX(id) AS newest
            FROM Bid [RANGE 2 SECONDS SLIDE 500 MILLISECONDS] GROUP BY kind""",
        "lonely": f"""SELECT id, made FROM Bid [RANGE 2 SECONDS] AS b WHERE NOT EXISTS
            (SELECT * FROM Auction [RANGE 1 SECOND] AS a WHERE {partners})""",
    }


WINDOWS = windows("a.id % 5000 = b.id % 5000 AND a.kind = 3")
"""Bids that nobody takes keep their ids, so these fall behind those of auctions."""
QUERIES = TUPLES | WINDOWS


def sinks(folder: Path, queries: Mapping[str, str]) -> str:
    """Statements that write what each query gives into a folder of its name."""
    return "".join(
        f"INSERT INTO 'file://{folder}/{name}?format=parquet' {query};" for name, query in queries.items()
    )


def script(port: int, folder: Path, form: str) -> str:
    return f"""
        CREATE STREAM Bid (id BIGINT, kind INT, made TIMESTAMP) ORDER BY made
            SOURCE 'tcp://127.0.0.1:{port}?format=csv';
        CREATE STREAM Auction (id BIGINT, kind INT, made TIMESTAMP) ORDER BY made SLACK 5 SECONDS
            SOURCE 'file://{folder}/in?format={form}&poll=0.1';
        {sinks(folder, QUERIES)}
    """


def main(runner: Any, checkpoint: str, port: int, folder: Path, driver_rows: int) -> None:
    with windrow.connect(
        runner, "local[2]", checkpoint, driver_rows=driver_rows, idle_timeout="10 minutes"
    ) as db:
        db.execute(script(port, folder, FORMATS[runner]))
        while not (folder / "finish").exists():
            db.run(seconds=0.2)
        db.run_until_idle()
        for stream in ("Bid", "Auction"):
            db.advance(stream, END)
        db.run_until_idle()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]), int(sys.argv[5]))
