"""The TCP sink against real receivers on loopback, that come late, hang up and do not read."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from windrow.delta import Delta
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks.tcp import Address, TcpSink

SCHEMA = Schema.of(("x", "INTEGER"))


def delta_of(*values: int) -> Delta:
    return Delta(9, pa.table({"x": pa.array(values, pa.int32())}), np.arange(len(values)))


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)
        yield server


def sink_to(listener: socket.socket, **options: object) -> TcpSink:
    host, port = listener.getsockname()
    return TcpSink(Address(host, port), **options)  # type: ignore[arg-type]


def read_all(connection: socket.socket) -> str:
    with connection, connection.makefile(encoding="utf-8") as file:
        return file.read()


def test_changes_go_out_as_csv_lines_with_a_header(listener: socket.socket) -> None:
    sink = sink_to(listener, header=True)
    sink.open(SCHEMA)
    connection, _ = listener.accept()
    for batch, delta in enumerate([delta_of(1), delta_of(), delta_of(2)]):
        sink.write(batch, delta)
    sink.close()
    assert read_all(connection).splitlines() == [
        '"op","ts","x"',
        '"+I",1970-01-01 00:00:00.000000,1',
        '"+I",1970-01-01 00:00:00.000000,2',
    ]


def test_changes_go_out_as_json_lines(listener: socket.socket) -> None:
    sink = sink_to(listener, form="json")
    sink.open(SCHEMA)
    connection, _ = listener.accept()
    sink.write(0, delta_of(1))
    sink.close()
    (line,) = read_all(connection).splitlines()
    assert json.loads(line) == {"op": "+I", "ts": "1970-01-01 00:00:00", "x": 1}


def test_a_batch_given_again_is_not_sent_again(listener: socket.socket) -> None:
    sink = sink_to(listener)
    sink.open(SCHEMA)
    connection, _ = listener.accept()
    for batch in (7, 7):
        sink.write(batch, delta_of(1))
    sink.close()
    assert len(read_all(connection).splitlines()) == 1


def test_after_a_hang_up_the_batch_goes_to_the_next_connection(listener: socket.socket) -> None:
    sink = sink_to(listener, header=True)
    sink.open(SCHEMA)
    first, _ = listener.accept()
    sink.write(0, delta_of(1))
    first.shutdown(socket.SHUT_RDWR)
    first.close()
    sink.write(1, delta_of(2))
    second, _ = listener.accept()
    sink.close()
    assert [line.rpartition(",")[2] for line in read_all(second).splitlines()] == ['"x"', "2"]


def test_a_receiver_that_starts_late_is_waited_for() -> None:
    with socket.socket() as placeholder:
        placeholder.bind(("127.0.0.1", 0))
        address = placeholder.getsockname()
    sink = TcpSink(Address(*address), patience=20)
    opened = threading.Event()

    def open_sink() -> None:
        sink.open(SCHEMA)
        opened.set()

    waiting = threading.Thread(target=open_sink)
    waiting.start()
    assert not opened.wait(0.2)
    with socket.create_server(address) as server:
        assert opened.wait(20)
        waiting.join()
        connection, _ = server.accept()
        sink.write(0, delta_of(5))
        sink.close()
        assert read_all(connection).endswith(",5\n")


def test_nobody_listening_ends_in_an_error_with_the_command_to_try() -> None:
    with socket.socket() as placeholder:
        placeholder.bind(("127.0.0.1", 0))
        port = placeholder.getsockname()[1]
        sink = TcpSink(Address("127.0.0.1", port), patience=0.2)
        with pytest.raises(SinkError, match=rf"(?s)cannot be reached for 0\.2 s: .*refused.*nc -lk {port}"):
            sink.open(SCHEMA)


def test_a_receiver_that_reads_nothing_ends_in_an_error(listener: socket.socket) -> None:
    sink = sink_to(listener, patience=0.5)
    sink.open(SCHEMA)
    connection, _ = listener.accept()
    with connection, pytest.raises(SinkError, match=r"took nothing for 0\.5 s"):
        sink.write(0, delta_of(*range(1_000_000)))
    sink.close()


def test_closing_ends_the_wait_for_a_receiver() -> None:
    with socket.socket() as placeholder:
        placeholder.bind(("127.0.0.1", 0))
        sink = TcpSink(Address(*placeholder.getsockname()), patience=60)
        failures: list[SinkError] = []
        started = threading.Event()

        def open_sink() -> None:
            started.set()
            try:
                sink.open(SCHEMA)
            except SinkError as failure:
                failures.append(failure)

        waiting = threading.Thread(target=open_sink)
        waiting.start()
        assert started.wait(20)
        deadline = time.monotonic() + 20
        while waiting.is_alive() and time.monotonic() < deadline:
            sink.close()
            waiting.join(0.05)
        assert not waiting.is_alive()
        assert "is closed" in failures[0].message
