"""Sockets on loopback: what clients do, good and bad, and what the inlet gets of it."""

from __future__ import annotations

import os
import resource
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import pytest

from windrow.catalog import Stream
from windrow.errors import Error, SourceError
from windrow.schema import Schema
from windrow.sources.tcp import BATCH, TcpSource
from windrow.uri import Uri

BIDS = Stream("bids", Schema.of(("item", "INTEGER"), ("price", "FLOAT")))
LEFT = "the line is torn: the client left before it ended"
RESET = "the line is torn: the connection was reset before it ended"
STOPPED = "the line is torn: the source was stopped before it ended"


class Port:
    """A source that listens, its inlet, and clients of it."""

    def __init__(self, source: TcpSource, reading: Any, stack: ExitStack) -> None:
        self.source = source
        self.reading = reading
        self.inlet = reading.inlet
        self._stack = stack

    def client(self) -> socket.socket:
        return self._stack.enter_context(socket.create_connection(self.source.address, timeout=30))

    def say(self, text: bytes) -> None:
        with socket.create_connection(self.source.address, timeout=30) as client:
            client.sendall(text)

    def expect(self, rows: int, rejected: int = 0) -> None:
        self.reading.until(lambda: len(self.inlet.rows) == rows and len(self.inlet.rejected) == rejected)

    @property
    def items(self) -> list[int]:
        return self.inlet.rows["item"].to_pylist()


@pytest.fixture
def listen(reading: Callable[..., Any], recorder: Callable[..., Any]) -> Iterator[Callable[..., Port]]:
    with ExitStack() as stack:

        def start(options: str = "", stream: Stream = BIDS) -> Port:
            source = TcpSource(Uri.parse(f"tcp://127.0.0.1:0{options}"), stream)
            started = stack.enter_context(reading(source, recorder(stream)))
            return Port(source, started, stack)

        yield start


def test_lines_arrive_in_order_over_many_clients(listen: Callable[..., Port]) -> None:
    port = listen()
    clients = [port.client() for _ in range(50)]
    for number in range(20):
        for place, client in enumerate(clients):
            client.sendall(b"%d,%d\n" % (place, number))
    port.expect(1000)
    rows = port.inlet.rows.to_pylist()
    for place in range(50):
        assert [row["price"] for row in rows if row["item"] == place] == list(range(20))


def test_a_silent_client_disturbs_nobody(listen: Callable[..., Port]) -> None:
    port = listen()
    port.client()
    port.say(b"1,2\n")
    port.expect(1)
    port.reading.until(port.source.idle)


def test_every_client_has_a_header_of_its_own_or_none(listen: Callable[..., Port]) -> None:
    port = listen()
    port.say(b"price,item\n1.5,1\n")
    port.say(b"item,zzz,price\n2,passed over,2.5\n")
    port.say(b"3,3.5\n")
    port.expect(3)
    assert sorted(map(tuple, (row.values() for row in port.inlet.rows.to_pylist()))) == [
        (1, 1.5),
        (2, 2.5),
        (3, 3.5),
    ]


def test_a_header_that_does_not_fit_ends_that_client_only(listen: Callable[..., Port]) -> None:
    port = listen("?header=true")
    client = port.client()
    client.sendall(b"item,prize\n1,2\n")
    port.expect(0, 1)
    assert port.inlet.rejected == [("item,prize", "the header does not name column price")]
    assert not _received(client)
    port.say(b"item,price\n1,2\n")
    port.expect(1, 1)


def test_json_lines(listen: Callable[..., Port]) -> None:
    port = listen("?format=json")
    port.say(b'{"item": 1, "price": 2}\r\n{"item": 2}\n{"item":\n')
    port.expect(2, 1)
    assert port.inlet.rejected == [('{"item":', "the line is not valid JSON")]


def test_a_line_may_come_in_pieces(listen: Callable[..., Port]) -> None:
    port = listen()
    client = port.client()
    for piece in (b"1", b"2", b",3.", b"5\r"):
        client.sendall(piece)
        port.reading.until(lambda: port.source.held)
    client.sendall(b"\n")
    port.expect(1)
    assert port.items == [12]


def test_a_torn_last_line_is_rejected(listen: Callable[..., Port]) -> None:
    port = listen()
    port.say(b"1,2\n3,45")
    port.expect(1, 1)
    assert port.inlet.rejected == [("3,45", LEFT)]


def test_a_reset_client_loses_only_its_torn_line(listen: Callable[..., Port]) -> None:
    port = listen()
    client = port.client()
    client.sendall(b"1,2\n3,4")
    port.expect(1)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()
    port.expect(1, 1)
    assert port.inlet.rejected == [("3,4", RESET)]
    port.say(b"5,6\n")
    port.expect(2, 1)


def test_bad_lines_are_rejected_among_good_ones(listen: Callable[..., Port]) -> None:
    port = listen()
    port.say(b"1,2\n1\n\n\xff,1\nx,1\n3,4\n")
    port.expect(2, 3)
    assert sorted(port.inlet.rejected) == [
        ("1", "1 field for 2 columns"),
        ("x,1", "column item: 'x' is not INTEGER"),
        ("�,1", "the line is not valid UTF-8"),
    ]


def test_a_line_of_10_mb_is_rejected_and_not_held(listen: Callable[..., Port]) -> None:
    port = listen("?max_line=65536")
    client = port.client()
    most = 0
    for _ in range(100):
        client.sendall(b"9" * 100_000)
        most = max(most, port.source.held)
    client.sendall(b"\n7,8\n")
    port.expect(1, 1)
    reason = "the line is too long: 10000000 bytes, and at most 65536 are taken"
    assert port.inlet.rejected == [("9" * 200, reason)]
    assert most <= 65536


def test_while_the_inlet_is_busy_clients_block_and_memory_does_not_grow(
    listen: Callable[..., Port],
) -> None:
    port = listen()
    port.inlet.door.clear()
    client = port.client()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
    line = b"1,2\n" * 25_000
    client.settimeout(1)
    sent = 0
    with suppress(TimeoutError):
        while sent < 1 << 30:
            sent += client.send(line)
    # What the one hand-over took, and what the kernel's buffers hold of the two ends.
    assert sent <= BATCH + (16 << 20)
    assert port.source.held <= len(b"1,2\n")
    assert not port.source.idle()
    port.inlet.door.set()
    client.settimeout(30)
    client.sendall(b"1,2\n"[sent % 4 :] + b"3,4\n")
    port.expect(-(-sent // 4) + 1 + (sent % 4 == 0))
    assert port.items[-1] == 3


def test_out_of_file_descriptors_those_who_are_in_are_served_and_others_wait(
    listen: Callable[..., Port],
) -> None:
    port = listen()
    inside, outside = port.client(), socket.socket()
    inside.sendall(b"1,2\n")
    port.expect(1)
    with _no_more_descriptors():
        outside.connect(port.source.address)
        outside.sendall(b"2,2\n")
        inside.sendall(b"3,2\n")
        port.expect(2)
    port.expect(3)
    assert port.items == [1, 3, 2]
    outside.close()


def test_stopping_hands_over_what_has_come(listen: Callable[..., Port]) -> None:
    port = listen()
    client = port.client()
    client.sendall(b"1,2\n")
    port.expect(1)
    port.inlet.door.clear()
    client.sendall(b"2,2\n")
    port.reading.until(lambda: not port.source.idle())
    client.sendall(b"3,3\n4,")
    port.inlet.stopping.set()
    port.inlet.door.set()
    port.reading.stop()
    assert port.items == [1, 2, 3]
    assert port.inlet.rejected == [("4,", STOPPED)]
    assert not _received(client)


def test_a_port_taken_is_an_error_with_a_hint(listen: Callable[..., Port]) -> None:
    number = listen().source.address[1]
    with pytest.raises(
        SourceError, match=f"cannot listen on 127.0.0.1:{number}: Address already in use"
    ) as raised:
        TcpSource(Uri.parse(f"port{number}"), BIDS).open()
    assert str(number) in str(raised.value.hint)


def test_a_port_is_free_again_after_close(listen: Callable[..., Port]) -> None:
    port = listen()
    port.say(b"1,2\n")
    port.expect(1)
    number = port.source.address[1]
    port.reading.stop()
    again = TcpSource(Uri.parse(f"port{number}"), BIDS)
    again.open()
    assert again.address == ("127.0.0.1", number)
    again.close()


def test_an_address_that_is_not_ours_is_an_error_with_a_hint() -> None:
    with pytest.raises(SourceError, match=r"cannot listen on 192\.0\.2\.1:0") as raised:
        TcpSource(Uri.parse("tcp://192.0.2.1:0"), BIDS).open()
    assert "address of this machine" in str(raised.value.hint)


@pytest.mark.parametrize(
    "uri",
    [
        "tcp://localhost",
        "tcp://localhost:http",
        "tcp://localhost:99999",
        "tcp://:1?format=xml",
        "tcp://:1?header=maybe",
        "tcp://:1?delimiter=ab",
        "tcp://:1?quote=,",
        "tcp://:1?max_line=0",
        "tcp://:1?colour=red",
    ],
)
def test_a_uri_that_cannot_be_is_refused_before_anything_opens(uri: str) -> None:
    with pytest.raises(Error):
        TcpSource(Uri.parse(uri), BIDS)


def test_without_a_host_only_this_machine_can_connect() -> None:
    assert TcpSource(Uri.parse("tcp://:4445"), BIDS).address == ("127.0.0.1", 4445)
    assert TcpSource(Uri.parse("port4445"), BIDS).address == ("127.0.0.1", 4445)


@contextmanager
def _no_more_descriptors() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, before[1]))
    taken = []
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(0))
        yield
    finally:
        for descriptor in taken:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def _received(client: socket.socket) -> bytes:
    """What comes until the other end closes."""
    try:
        return client.recv(1)
    except ConnectionResetError:
        return b""
