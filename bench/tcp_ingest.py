"""CSV lines from one loopback client into the durable stream log, against a socket that only reads."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow.csv as csv

import windrow
from bench.harness import Bound, Measurement, Scale, benchmark, measure
from bench.measuring.traffic import COLUMNS, chunks, workplace

READ, WINDROW = "a socket that only reads", "windrow, durable log"
SEND = """
import socket, sys
with open(sys.argv[1], 'rb') as lines, socket.create_connection(('127.0.0.1', int(sys.argv[2]))) as to:
    to.sendfile(lines)
"""


@benchmark("tcp_ingest")
def tcp_ingest(scale: Scale) -> Iterator[Measurement]:
    """Lines of four columns a second, decoded, checked, logged and synced to the disk."""
    rows = scale.size(full=2_000_000, quick=50_000)
    with workplace() as work:
        lines = work / "lines.csv"
        with lines.open("wb") as file:
            for chunk in chunks(rows):
                csv.write_csv(chunk, file, csv.WriteOptions(include_header=False))
        yield measure(
            f"{rows:,} CSV lines from one client",
            {READ: partial(_read, lines), WINDROW: partial(_ingested, work, lines, rows)},
            work=rows,
            unit="lines",
            rounds=scale.rounds,
            bounds=[Bound(WINDROW, at_least=200_000), Bound(WINDROW, READ)],
            remark="from the client's start to the last line in the log",
        )


def _read(lines: Path) -> float:
    with socket.create_server(("127.0.0.1", 0)) as server:
        begin = time.perf_counter()
        with _sender(lines, server.getsockname()[1]) as client:
            connection, _ = server.accept()
            with connection:
                while connection.recv(1 << 20):
                    pass
            client.wait()
        return time.perf_counter() - begin


def _ingested(work: Path, lines: Path, rows: int) -> float:
    port = _free_port()
    with windrow.connect(runner="inline", checkpoint=work / uuid.uuid4().hex) as db:
        db.execute(f"CREATE STREAM Packets ({COLUMNS}) ORDER BY ts SOURCE 'tcp://127.0.0.1:{port}'")
        db.execute("INSERT INTO 'blackhole:' SELECT ts FROM Packets WHERE FALSE")
        db.run(seconds=0.1)
        begin = time.perf_counter()
        with _sender(lines, port):
            while (accepted := db.metrics().streams[0].accepted) < rows:
                db.run(seconds=0.01)
                assert db.metrics().streams[0].rejected == 0
                assert time.perf_counter() < begin + 120, f"{accepted} of {rows} lines"
            return time.perf_counter() - begin


def _sender(lines: Path, port: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SEND, str(lines), str(port)])


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port
