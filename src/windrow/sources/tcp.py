"""Tuples from sockets: `tcp://host:port?format=csv|json`, or ESL's `portNNNN` on loopback.

The source listens and takes any number of clients. One thread reads what all of them have sent,
decodes it and hands it over at once: a group commit. While `inlet.accept` runs nothing is read, so
input piles up in the kernel's socket buffers, and when those are full the clients' sends block. So
memory holds at most a batch, and of each client a line that has not ended.
"""

from __future__ import annotations

import errno
import os
import selectors
import socket
from dataclasses import dataclass, field
from threading import Event

import pyarrow as pa

from windrow.catalog import Stream
from windrow.errors import SourceError
from windrow.log.stream_log import Position
from windrow.sources.base import Inlet, Source
from windrow.sources.formats.base import MAX_LINE, Decoder, Layout, Rejected
from windrow.sources.formats.choose import TEXT_OPTIONS, check_format, text_decoder, whole_number
from windrow.sources.formats.text import TextOrigin
from windrow.uri import Uri

BATCH = 4 << 20
"""At most so many bytes are read for one hand-over, if there are fewer than 64 clients."""
_READ = 1 << 20
_LEAST_SHARE = 1 << 16
_LOOK_FOR_STOP = 0.05
_BACKLOG = 1024
_NO_MORE_FILES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_LEFT = "the line is torn: the client left before it ended"
_RESET = "the line is torn: the connection was reset before it ended"
_STOPPED = "the line is torn: the source was stopped before it ended"


@dataclass(eq=False, slots=True)
class _Client:
    socket: socket.socket
    text: TextOrigin


@dataclass(slots=True)
class _Batch:
    """What was read for one hand-over: blocks of lines by their layout."""

    blocks: dict[Layout, list[bytes]] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)

    def take(self, text: TextOrigin, block: bytes) -> None:
        self.rejected += text.rejected()
        if block and text.layout is not None:
            self.blocks.setdefault(text.layout, []).append(block)

    def hand_over(self, inlet: Inlet, decoder: Decoder, empty: pa.Table) -> None:
        tables = [empty]
        for layout, blocks in self.blocks.items():
            decoded = decoder.decode(b"".join(blocks), layout)
            tables.append(decoded.rows)
            self.rejected += decoded.rejected
        rows = pa.concat_tables(tables)
        if len(rows) or self.rejected:
            inlet.accept(rows, rejected=self.rejected)


class TcpSource(Source):
    """Listens on a port; port 0 lets the system choose, and `address` tells which."""

    def __init__(self, uri: Uri, stream: Stream, *, max_line: int = MAX_LINE) -> None:
        uri.check_options(*TEXT_OPTIONS)
        self._uri = uri
        self._host, self._port = _host_and_port(uri)
        format_ = uri.options.get("format", "csv")
        check_format(uri, format_, "csv", "json")
        self._max_line = whole_number(uri, "max_line", max_line)
        self._decoder = text_decoder(uri, stream, format_)
        self._empty = stream.arriving.arrow.empty_table()
        self._listener: socket.socket | None = None
        self._clients: set[_Client] = set()
        self._idle = False

    @property
    def address(self) -> tuple[str, int]:
        """The host and port that the source listens on, once it is open."""
        if self._listener is None:
            return self._host, self._port
        host, port = self._listener.getsockname()[:2]
        return host, port

    @property
    def held(self) -> int:
        """So many bytes of lines that have not ended are in memory."""
        return sum(client.text.held for client in list(self._clients))

    def open(self) -> None:
        try:
            found = socket.getaddrinfo(self._host, self._port, type=socket.SOCK_STREAM)
            family, kind, protocol, _, address = found[0]
            listener = socket.socket(family, kind, protocol)
        except OSError as error:
            raise self._cannot_listen(error) from error
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
            listener.setblocking(False)
        except OSError as error:
            listener.close()
            raise self._cannot_listen(error) from error
        self._listener = listener

    def run(self, inlet: Inlet, position: Position | None, stopping: Event) -> None:
        if self._listener is None:
            raise SourceError(f"{self._uri.text} is not open")
        with selectors.DefaultSelector() as selector:
            selector.register(self._listener, selectors.EVENT_READ)
            try:
                while not stopping.is_set():
                    self._take_turn(selector, inlet, _LOOK_FOR_STOP)
                self._take_turn(selector, inlet, 0)
                self._part_from_all(inlet)
            finally:
                for client in self._clients:
                    client.socket.close()
                self._clients.clear()

    def idle(self) -> bool:
        return self._idle

    def close(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    def _take_turn(self, selector: selectors.BaseSelector, inlet: Inlet, timeout: float) -> None:
        ready = selector.select(timeout)
        self._idle = not ready
        if not ready:
            self._listen_again(selector)
            return
        batch = _Batch()
        share = max(_LEAST_SHARE, BATCH // len(ready))
        for key, _ in ready:
            if isinstance(key.data, _Client):
                self._read(key.data, share, selector, batch)
            else:
                self._welcome(selector)
        batch.hand_over(inlet, self._decoder, self._empty)

    def _read(self, client: _Client, share: int, selector: selectors.BaseSelector, batch: _Batch) -> None:
        """Takes what the client has sent, up to its share, so that none starves the others."""
        while share > 0:
            try:
                data = client.socket.recv(min(share, _READ))
            except BlockingIOError:
                return
            except OSError:
                self._part(client, selector, batch, _RESET)
                return
            if not data:
                self._part(client, selector, batch, _LEFT)
                return
            share -= len(data)
            batch.take(client.text, client.text.feed(data))
            if client.text.refused:
                self._part(client, selector, batch, _LEFT)
                return

    def _welcome(self, selector: selectors.BaseSelector) -> None:
        """Takes in all who wait; where the system has no room for more, they wait on."""
        assert self._listener is not None
        while True:
            try:
                connection, _ = self._listener.accept()
            except BlockingIOError:
                return
            except OSError as error:
                if error.errno in _NO_MORE_FILES:
                    selector.unregister(self._listener)
                    return
                continue
            connection.setblocking(False)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            client = _Client(connection, TextOrigin(self._decoder, self._max_line))
            self._clients.add(client)
            selector.register(connection, selectors.EVENT_READ, client)

    def _part(self, client: _Client, selector: selectors.BaseSelector, batch: _Batch, why: str) -> None:
        selector.unregister(client.socket)
        client.socket.close()
        client.text.torn(why)
        batch.take(client.text, b"")
        self._clients.discard(client)
        self._listen_again(selector)

    def _listen_again(self, selector: selectors.BaseSelector) -> None:
        if self._listener is not None and self._listener not in selector.get_map():
            selector.register(self._listener, selectors.EVENT_READ)

    def _part_from_all(self, inlet: Inlet) -> None:
        batch = _Batch()
        for client in self._clients:
            client.text.torn(_STOPPED)
            batch.take(client.text, b"")
        batch.hand_over(inlet, self._decoder, self._empty)

    def _cannot_listen(self, error: OSError) -> SourceError:
        where = f"{self._host}:{self._port}"
        if error.errno == errno.EADDRINUSE:
            hint = (
                f"stop what listens there (`ss -ltnp sport = :{self._port}` names it), or take another port"
            )
        elif error.errno == errno.EACCES:
            hint = "ports below 1024 are for root: take a higher one"
        else:
            hint = "the host must be an address of this machine: 127.0.0.1, or 0.0.0.0 for all of them"
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror
        return SourceError(f"cannot listen on {where}: {reason}", hint=hint)


def _host_and_port(uri: Uri) -> tuple[str, int]:
    host, _, port = uri.rest.rstrip("/").rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise SourceError(f"{uri.text}: no port to listen on", hint="say tcp://127.0.0.1:4445 or port4445")
    return host.strip("[]") or "127.0.0.1", int(port)
