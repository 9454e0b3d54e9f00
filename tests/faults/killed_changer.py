"""A driver that is made to be killed: it changes a table and an NRR, and pushes tuples that are joined with
them, into Parquet.

`python killed_changer.py CHECKPOINT FOLDER`: FOLDER gets `current` (the join with the table) and `met` (the
join with the NRR). It runs for ever, and goes on where it was.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import windrow

KEYS = 5
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def script(folder: Path) -> str:
    return f"""
        CREATE STREAM S (k INT, t TIMESTAMP) ORDER BY t RETAIN 1000 DAYS;
        CREATE TABLE T (k INT PRIMARY KEY, n INT);
        CREATE NRR N (k INT PRIMARY KEY, n INT);
        INSERT INTO 'file://{folder}/current?format=parquet'
            SELECT S.k, n FROM S [RANGE 1 DAY], T WHERE S.k = T.k;
        INSERT INTO 'file://{folder}/met?format=parquet' SELECT S.k, t, n FROM S LEFT JOIN N ON S.k = N.k
    """


def main(checkpoint: Path, folder: Path) -> None:
    with windrow.connect("inline", checkpoint=checkpoint) as db:
        db.execute(script(folder))
        number = max(db.rows("T")["n"].to_pylist(), default=0)
        while True:
            number += 1
            for table in "TN":
                db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({number % KEYS}, {number})")
            db.push("S", [(number * 3 % KEYS, BEGIN + timedelta(seconds=number))])
            db.run_until_idle()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
