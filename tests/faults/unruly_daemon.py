"""Spark's Python daemon, whose workers take orders: `spark.python.daemon.module=unruly_daemon`."""

from __future__ import annotations

import socket
from typing import Any

import pyspark.daemon

fork_worker = pyspark.daemon.worker


def worker(connection: socket.socket, authenticated: bool) -> int:
    """As Spark's, but when it knows where its modules are, it takes orders."""
    import pyspark.worker

    set_up = pyspark.worker.setup_spark_files

    def set_up_to_obey(*where: Any) -> None:
        set_up(*where)
        import orders

        orders.obey()

    pyspark.worker.setup_spark_files = set_up_to_obey
    return fork_worker(connection, authenticated)


if __name__ == "__main__":
    pyspark.daemon.worker = worker
    pyspark.daemon.manager()
