"""A driver that is disturbed, and goes on: bids and auctions from files, into Parquet, on Spark.

`python chaotic_driver.py MASTER CHECKPOINT FOLDER DRIVER_ROWS`: files come into FOLDER/bids_in and
FOLDER/auctions_in, and the queries over windows of `killed_driver` write into folders of their names. It
runs until there is a file FOLDER/finish; then it processes all that has come, says that no more will, and
ends. It outlives what orders and killed workers make batches fail of, and nothing else.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from killed_driver import END, sinks, windows
from orders import ORDERS, obey

import windrow

WANTED = re.compile(
    f"ordered|Ordered: ({'|'.join(ORDERS)})|No space left on device|Python worker exited|[Ee]xecutor"
)
"""What tells of a fault that was meant."""


def script(folder: Path) -> str:
    return f"""
        CREATE STREAM Bid (id BIGINT, kind INT, made TIMESTAMP) ORDER BY made
            SOURCE 'file://{folder}/bids_in?format=parquet&poll=0.1';
        CREATE STREAM Auction (id BIGINT, kind INT, made TIMESTAMP) ORDER BY made SLACK 1 SECOND
            SOURCE 'file://{folder}/auctions_in?format=parquet&poll=0.1';
        {sinks(folder, windows("a.id = b.id"))}
    """


def outlived(step: Callable[[], object]) -> None:
    """Do something again until no fault comes in between."""
    while True:
        try:
            step()
            return
        except windrow.Error as error:
            if not WANTED.search(str(error)):
                raise
            sys.stdout.write(f"outlived: {error}\n")


def main(master: str, checkpoint: str, folder: Path, driver_rows: int) -> None:
    obey()
    with windrow.connect(
        "spark", master, checkpoint, driver_rows=driver_rows, idle_timeout="10 minutes"
    ) as db:
        db.execute(script(folder))
        while not (folder / "finish").exists():
            outlived(lambda: db.run(seconds=0.2))
        outlived(db.run_until_idle)
        for stream in ("Bid", "Auction"):
            db.advance(stream, END)
        outlived(db.run_until_idle)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
