"""A program of a user's, made to be interrupted: `python interrupted_driver.py RUNNER FOLDER`.

Before that, a function of the user's fails: Spark keeps such an error as long as the process lives.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import pyarrow as pa

import windrow


def fail(_batch: int, _changes: pa.Table) -> None:
    raise ValueError("not today")


def main(runner: Any, folder: str) -> None:
    with windrow.connect(runner, "local[2]", f"{folder}/kept", driver_rows=0) as db:
        db.execute("CREATE STREAM Tick (value BIGINT) SOURCE 'rate://20000'")
        failing = db.query("SELECT value FROM Tick", "failing", fail)
        with suppress(windrow.Error):
            db.run()
        failing.stop()
        db.execute(f"INSERT INTO 'file://{folder}/out?format=parquet' SELECT value FROM Tick")
        db.run()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
