"""A program of a user's, made to be interrupted: `python interrupted_driver.py RUNNER FOLDER`."""

from __future__ import annotations

import sys
from typing import Any

import windrow


def main(runner: Any, folder: str) -> None:
    with windrow.connect(runner, "local[2]", f"{folder}/kept", driver_rows=0) as db:
        db.execute(f"""
            CREATE STREAM Tick (value BIGINT) SOURCE 'rate://20000';
            INSERT INTO 'file://{folder}/out?format=parquet' SELECT value FROM Tick;
        """)
        db.run()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
