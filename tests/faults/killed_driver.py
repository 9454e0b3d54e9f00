"""A driver that is made to be killed: bids from a socket and auctions from files, into Parquet.

`python killed_driver.py RUNNER CHECKPOINT PORT FOLDER DRIVER_ROWS`: files come into FOLDER/in; FOLDER gets
`bids`, `auctions`, `both` (with duplicates) and `moments` (without). It runs until there is a file
FOLDER/finish; then it processes all that has come, says that no more will, and ends.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import windrow

FORMATS = {"spark": "parquet", "inline": "csv"}
END = "2100-01-01"


def script(port: int, folder: Path, form: str) -> str:
    return f"""
        CREATE STREAM Bid (id BIGINT, kind INT, made TIMESTAMP) ORDER BY made
            SOURCE 'tcp://127.0.0.1:{port}?format=csv';
        CREATE STREAM Auction (id BIGINT, kind INT, made TIMESTAMP) ORDER BY made SLACK 5 SECONDS
            SOURCE 'file://{folder}/in?format={form}&poll=0.1';
        INSERT INTO 'file://{folder}/bids?format=parquet' SELECT id, made FROM Bid;
        INSERT INTO 'file://{folder}/auctions?format=parquet' SELECT id, made FROM Auction;
        INSERT INTO 'file://{folder}/both?format=parquet'
            SELECT id, kind, made FROM Bid UNION ALL SELECT id, kind, made FROM Auction;
        INSERT INTO 'file://{folder}/moments?format=parquet'
            SELECT kind, made FROM Bid UNION SELECT kind, made FROM Auction;
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
