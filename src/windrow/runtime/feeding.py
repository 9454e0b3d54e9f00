"""What makes streams move: a thread for each source, and the pace of those that are silent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from windrow.catalog import Stamping, Stream
from windrow.errors import Error, SourceError
from windrow.log.inlet import StreamInlet, WallClock
from windrow.log.stream_log import Position, StreamLog
from windrow.sources.base import Source

BEAT = 500_000
"""Microseconds between two heartbeats of a stream that the system stamps, unless it says otherwise."""


class Door:
    """An inlet as a source on a thread of its own sees it: it can wait as long as there is no room."""

    def __init__(self, inlet: StreamInlet, wait_for_room: Callable[[], None]) -> None:
        self.stream = inlet.stream
        self.finish = inlet.finish
        self._inlet = inlet
        self._wait_for_room = wait_for_room

    def accept(
        self,
        rows: pa.Table,
        *,
        rejected: Sequence[tuple[str, str]] = (),
        position: Position | None = None,
    ) -> None:
        self._wait_for_room()
        self._inlet.accept(rows, rejected=rejected, position=position)


class Feed:
    """A source, read on a thread of its own into its stream's log."""

    def __init__(
        self,
        source: Source,
        inlet: StreamInlet,
        wait_for_room: Callable[[threading.Event], None] = lambda _: None,
    ) -> None:
        source.open()
        self._source = source
        self._inlet = inlet
        self._stopping = threading.Event()
        self._door = Door(inlet, lambda: wait_for_room(self._stopping))
        self.failure: Error | None = None
        name = f"windrow source of {inlet.stream.name}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def idle(self) -> bool:
        """Nothing more to come now: the source has ended, or says so."""
        return not self._thread.is_alive() or self._source.idle()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._source.run(self._door, self._inlet.position, self._stopping)
        except Error as error:
            self.failure = error
        except Exception as error:  # a source of the user's may raise anything
            self.failure = SourceError(f"the source of {self._inlet.stream.name} failed: {error!r}")
        finally:
            self._source.close()


@dataclass(frozen=True, slots=True)
class Pacemaker:
    """Keeps queries over several streams from waiting for good for one that is silent.

    A stream that the system stamps follows the wall clock, and so do late tuples and rejected input,
    which are stamped when they come. An external one that has been silent for
    its HEARTBEAT, or the idle timeout, follows the newest tuple of those that it holds up.
    """

    now: WallClock
    idle_timeout: int

    def pulse(self, groups: Iterable[Sequence[Stream]], inlets: Mapping[str, StreamInlet]) -> None:
        """Once in a while: move what is silent in each group of streams that a query reads."""
        for group in groups:
            members = [(stream, inlets[stream.log]) for stream in group]
            newest = max(inlet.newest_of(stream) for stream, inlet in members)
            for stream, inlet in members:
                if inlet.clock_of(stream) < newest:
                    self._move(stream, inlet, newest)

    def _move(self, stream: Stream, inlet: StreamInlet, newest: int) -> None:
        if stream.stamping is not Stamping.EXTERNAL:
            if self.now() - inlet.clock_of(stream) >= (stream.heartbeat or BEAT):
                inlet.beat()
        elif self.now() - inlet.last_arrival >= (stream.heartbeat or self.idle_timeout):
            inlet.follow(newest)


class Backlog:
    """Makes sources wait while the pipeline is too far behind: nothing piles up without bound."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit = limit
        self._room = threading.Condition()
        self._done: dict[str, int] = {}
        self.active = False
        """Whether somebody is processing; where nobody is, a program that pushes would wait for good."""

    def wait_for_room(self, name: str, log: StreamLog, stopping: threading.Event | None = None) -> None:
        """Wait while somebody is processing; a source, until it has to stop."""
        with self._room:
            while self._behind(name, log) > self._limit():
                if stopping.is_set() if stopping else not self.active:
                    break
                self._room.wait(0.1)

    def processed(self, offsets: Mapping[str, int]) -> None:
        with self._room:
            self._done = dict(offsets)
            self._room.notify_all()

    def position(self, name: str) -> int:
        """Up to where the log of that name is processed."""
        return self._done.get(name, 0)

    def _behind(self, name: str, log: StreamLog) -> int:
        if name not in self._done:
            return 0
        index = log.index()
        return int(index.between(self._done[name], index.end).entries["lengths"].sum())
