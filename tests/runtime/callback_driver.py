"""A process that feeds a query with a function as its sink, and dies in it: after having put a batch
out, and before anybody has written down that the batch is done.

Usage: callback_driver.py CHECKPOINT WRITTEN DIE_AT.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pyarrow as pa

import windrow

PUSHES = 12


def main() -> None:
    checkpoint, written, die_at = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    calls = 0

    def put_out(batch: int, changes: pa.Table) -> None:
        nonlocal calls
        calls += 1
        (written / f"{batch}.json").write_text(json.dumps(changes["item"].to_pylist()))
        if calls == die_at:
            os._exit(9)

    with windrow.connect(runner="inline", checkpoint=checkpoint) as db:
        if "S" not in {stream.name for stream in db.catalog.streams.values()}:
            db.execute("CREATE STREAM S (item INT, seen TIMESTAMP) ORDER BY seen SLACK 2 SECONDS")
        db.query("SELECT item FROM S UNION ALL SELECT item + 1000 FROM S", into=put_out)
        db.run_until_idle()
        for number in range(db.metrics().streams[0].accepted, PUSHES):
            db.push("S", [(number, number * 1_000_000)])
            db.run_until_idle()
        db.advance("S", PUSHES * 1_000_000)
        db.run_until_idle()


if __name__ == "__main__":
    main()
