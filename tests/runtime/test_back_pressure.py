"""Input that outruns the pipeline waits where it comes from; how far behind it is, is told."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress

from tests.conftest import Connect, HandMovedWall
from windrow.sources.tcp import BATCH

LINE = b"x" * 999 + b"\n"
MIB = 2**20
LINES = 64 * MIB // len(LINE)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def test_a_client_of_a_port_waits_and_all_it_says_is_processed_in_the_end(
    connect: Connect, wall: HandMovedWall
) -> None:
    db, port = connect(backlog=MIB), free_port()
    db.execute(f"CREATE STREAM S (note VARCHAR) SOURCE 'tcp://127.0.0.1:{port}'")
    query = db.query("SELECT note FROM S", into="blackhole:")
    db.run(seconds=0)
    said = memoryview(LINE * LINES)
    with socket.create_connection(("127.0.0.1", port), timeout=1) as client:
        with suppress(TimeoutError):
            while len(said):
                said = said[client.send(said[:MIB]) :]
        assert len(said)
        wall.move(3_000_000)
        waiting = db.metrics()
        assert 0 < waiting.lag * len(LINE) < MIB + 2 * BATCH
        assert query.metrics()["lag"] == {"tuples": waiting.lag, "seconds": 3.0}
        client.settimeout(60)
        sender = threading.Thread(target=client.sendall, args=(said,))
        sender.start()
        deadline = time.monotonic() + 60
        while db.metrics().tuples_in < LINES and time.monotonic() < deadline:
            db.run(seconds=0.1)
        sender.join()
    assert (db.metrics().tuples_in, db.metrics().lag) == (LINES, 0)
    assert query.metrics()["tuples_out"] == LINES


def test_a_batch_brings_no_more_tuples_than_it_may(connect: Connect) -> None:
    db = connect(batch_rows=1000)
    db.execute("CREATE STREAM S (n INT)")
    query = db.query("SELECT n FROM S")
    for first in range(0, 5000, 500):
        db.push("S", [(n,) for n in range(first, first + 500)])
    db.run_until_idle()
    assert db.metrics().batches == 5
    assert query.changes()["n"].to_pylist() == list(range(5000))
