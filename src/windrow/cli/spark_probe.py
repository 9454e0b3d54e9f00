"""`python -m windrow.cli.spark_probe` starts a tiny Spark session and sends Arrow through a worker.

A process of its own: the JVM ends with it, whatever happens, and its log stays out of the terminal.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import SparkSession

from windrow.java import require_java

_SETTINGS: dict[str, bool | float | int | str | None] = {
    "spark.master": "local[1]",
    "spark.app.name": "windrow doctor",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
}


def same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The identity, in a Python worker."""
    return batches


def main() -> None:
    """Write one line on standard output that says what works."""
    os.environ |= {"JAVA_HOME": str(require_java().home), "PYSPARK_PYTHON": sys.executable}
    started = time.monotonic()
    session = SparkSession.builder.config(map=_SETTINGS).getOrCreate()
    try:
        rows = session.range(1000).mapInArrow(same, "id long").count()
        if rows != 1000:
            raise RuntimeError(f"a Python worker gave {rows} of 1000 rows back")
        sys.stdout.write(f"Spark {session.version}, a session in {time.monotonic() - started:.0f} s\n")
    finally:
        session.stop()


if __name__ == "__main__":
    main()
