"""`python -m windrow.cli.spark_probe` starts Spark as the runner does, and sends Arrow through a worker.

A process of its own: the JVM ends with it, whatever happens, and its log stays out of the terminal.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import pyarrow as pa

from windrow.errors import Error
from windrow.runtime.spark.session import session

ROWS = 1000


def same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The identity, in a Python worker."""
    return batches


def main() -> None:
    """Write one line on standard output that says what works."""
    started = time.monotonic()
    spark = session("local[1]", {})
    rows = spark.range(ROWS).mapInArrow(same, "id long").count()
    if rows != ROWS:
        raise RuntimeError(f"a Python worker gave {rows} of {ROWS} rows back")
    sys.stdout.write(f"Spark {spark.version}, a session in {time.monotonic() - started:.0f} s\n")


if __name__ == "__main__":
    try:
        main()
    except Error as error:
        sys.exit(error.message)
