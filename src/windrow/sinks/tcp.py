"""A sink that connects to a TCP server and sends lines: CSV or JSON.

At least once: a batch counts as written when the receiver's kernel has acknowledged its last byte.
When the connection breaks the sink connects again, waiting longer each time, and sends the whole
batch anew. TCP tells nothing of what a receiver had read but not handled when it died.
"""

from __future__ import annotations

import fcntl
import socket
import struct
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event

import pyarrow as pa

from windrow.delta import Delta
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks import encoding
from windrow.sinks.base import Sink
from windrow.sinks.changelog import Changelog

PATIENCE = 30
"""Seconds without a connection, or without a byte taken, after which a batch fails."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class TcpSink(Sink):
    """`tcp://host:port?format=csv|json&header=true|false&patience=seconds`."""

    def __init__(
        self,
        address: Address,
        form: encoding.Text = "csv",
        *,
        header: bool = False,
        patience: float = PATIENCE,
        changelog: Changelog | None = None,
    ) -> None:
        self._address = address
        self._form = form
        self._header = header
        self._patience = patience
        self._changelog = changelog or Changelog()
        self._socket: socket.socket | None = None
        self._new_connection = True
        self._last_batch = -1
        self._closing = Event()

    def open(self, schema: Schema) -> None:
        self._closing.clear()
        self._connected(time.monotonic() + self._patience)

    def close(self) -> None:
        self._closing.set()
        self._disconnect()

    def write(self, batch: int, delta: Delta) -> None:
        if batch <= self._last_batch:
            return
        if len(delta):
            self._deliver(self._changelog.full(delta))
        self._last_batch = batch

    def _deliver(self, changes: pa.Table) -> None:
        """Send until it has gone through once, or patience ends."""
        deadline = time.monotonic() + self._patience
        while True:
            connection = self._connected(deadline)
            header = self._header and self._new_connection
            try:
                self._send(connection, encoding.text(changes, self._form, header=header))
            except OSError as failure:
                self._disconnect()
                if isinstance(failure, TimeoutError) or time.monotonic() > deadline:
                    raise self._gave_up("took nothing", failure) from failure
            else:
                self._new_connection = False
                return

    def _send(self, connection: socket.socket, pieces: Sequence[pa.Buffer]) -> None:
        if _hung_up(connection):
            raise ConnectionResetError("the receiver closed the connection")
        for piece in pieces:
            left = memoryview(piece)
            while left:
                left = left[connection.send(left) :]
        self._await_acknowledgement(connection)

    def _await_acknowledgement(self, connection: socket.socket) -> None:
        deadline = time.monotonic() + self._patience
        pause, before = 0.0001, -1
        while left := _unacknowledged(connection):
            if left != before:
                before, deadline = left, time.monotonic() + self._patience
            elif time.monotonic() > deadline:
                raise TimeoutError("the receiver acknowledges nothing")
            if _hung_up(connection) or self._closing.wait(pause):
                raise ConnectionResetError("the connection was closed")
            pause = min(2 * pause, 0.05)

    def _connected(self, deadline: float) -> socket.socket:
        pause = _FIRST_PAUSE
        while self._socket is None:
            try:
                self._socket = self._connect()
            except OSError as failure:
                if time.monotonic() + pause > deadline:
                    raise self._gave_up("cannot be reached", failure) from failure
                if self._closing.wait(pause):
                    raise SinkError(f"the connection to {self._address} is closed") from failure
                pause = min(2 * pause, _LONGEST_PAUSE)
        return self._socket

    def _connect(self) -> socket.socket:
        connection = socket.create_connection((self._address.host, self._address.port), self._patience)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._new_connection = True
        return connection

    def _disconnect(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _gave_up(self, what: str, failure: OSError) -> SinkError:
        said = failure.strerror or str(failure)
        return SinkError(
            f"tcp://{self._address} {what} for {self._patience:g} s: {said}",
            hint=f"is something listening there? (nc -lk {self._address.port})  More time: patience=120",
        )


def _hung_up(connection: socket.socket) -> bool:
    """Whether the other side has closed; what it sends, which nobody asked for, is thrown away."""
    patience = connection.gettimeout()
    connection.setblocking(False)
    try:
        while data := connection.recv(65536):
            del data
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        connection.settimeout(patience)


def _unacknowledged(connection: socket.socket) -> int:
    """Bytes that left for the receiver and that its kernel has not acknowledged."""
    queued: int = struct.unpack("i", fcntl.ioctl(connection, termios.TIOCOUTQ, b"\0" * 4))[0]
    return queued
