"""Doubles for tests of sources: an inlet that keeps what it takes, and a clock moved by waiting."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import Self

import pyarrow as pa
import pytest

from windrow.catalog import Stamping, Stream
from windrow.schema import Schema
from windrow.sources.base import Position, Source
from windrow.sources.demo.source import DemoSource
from windrow.sources.rate import RateSource
from windrow.uri import Uri


class Recorder:
    """Keeps what a source hands over, and stops the source when it has enough."""

    def __init__(
        self, stream: Stream, enough: int | None = None, *, crash_after: int | None = None
    ) -> None:
        self.stream = stream
        self.stopping = Event()
        self.finished = False
        self.tables = [stream.arriving.arrow.empty_table()]
        self.rejected: list[tuple[str, str]] = []
        self.position: Position | None = None
        self.door = Event()
        """While it is clear, whoever hands over waits, as when the pipeline is behind."""
        self.door.set()
        self.knocked = Event()
        """Set as soon as something has been brought to the door."""
        self._enough = enough
        self._crash_after = crash_after

    def accept(
        self,
        rows: pa.Table,
        *,
        rejected: Sequence[tuple[str, str]] = (),
        position: Position | None = None,
    ) -> None:
        assert rows.schema == self.stream.arriving.arrow
        self.knocked.set()
        assert self.door.wait(60)
        if len(self.tables) - 1 == self._crash_after:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.rejected += rejected
        self.tables.append(rows)
        self.position = position
        if self._enough is not None and self.rows.num_rows >= self._enough:
            self.stopping.set()

    def finish(self) -> None:
        self.finished = True

    @property
    def rows(self) -> pa.Table:
        return pa.concat_tables(self.tables).combine_chunks()


class HandMovedClock:
    """Time passes only while somebody waits; a wait may be cut short to `longest_step`."""

    def __init__(self, longest_step: float = 1e9) -> None:
        self.now = 1_800_000_000.25
        self.waits: list[float] = []
        self._longest_step = longest_step

    def seconds(self) -> float:
        return self.now

    def micros(self) -> int:
        return round(self.now * 1e6)

    def wait(self, stopping: Event, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += min(seconds, self._longest_step)


class Reading:
    """A source that is read on a thread of its own, as the runtime does it."""

    def __init__(self, source: Source, inlet: Recorder, position: Position | None = None) -> None:
        self.inlet = inlet
        self.source = source
        self._position = position
        self._thread = Thread(target=self._run, daemon=True)
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        self.source.open()
        self._thread.start()
        return self

    def __exit__(self, *failed: object) -> None:
        self.inlet.door.set()
        self.stop()

    def stop(self) -> None:
        self.inlet.stopping.set()
        self._thread.join(60)
        assert not self._thread.is_alive()
        if self._failure:
            raise self._failure

    def until(self, holds: Callable[[], object]) -> None:
        """Waits for what must come about soon."""
        deadline = time.monotonic() + 30
        while not holds():
            assert time.monotonic() < deadline, "it did not come about"
            if self._failure:
                raise self._failure
            self._thread.join(0.002)

    def ended(self) -> bool:
        """Whether the source has come to an end by itself."""
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self.source.run(self.inlet, self._position, self.inlet.stopping)
        except BaseException as failure:
            self._failure = failure
        finally:
            self.source.close()


@pytest.fixture
def reading() -> Callable[..., Reading]:
    return Reading


@pytest.fixture
def recorder() -> Callable[..., Recorder]:
    return Recorder


@pytest.fixture
def clock() -> HandMovedClock:
    return HandMovedClock()


@pytest.fixture
def stream() -> Callable[..., Stream]:
    def declare(*columns: tuple[str, str], timestamp: str | None = None, internal: bool = False) -> Stream:
        stamping = Stamping.EXTERNAL if timestamp else Stamping.LATENT
        if internal:
            columns, timestamp = (*columns, ("current_time", "TIMESTAMP")), "current_time"
            stamping = Stamping.INTERNAL
        return Stream("S", Schema.of(*columns), stamping, timestamp)

    return declare


@pytest.fixture
def source() -> Callable[..., Source]:
    def build(uri: str, stream: Stream, **settings: object) -> Source:
        kind = RateSource if uri.startswith("rate") else DemoSource
        return kind(Uri.parse(uri), stream, **settings)

    return build


@pytest.fixture
def generated(source: Callable[..., Source]) -> Callable[..., pa.Table]:
    """All that a URI with a limit gives a stream."""

    def generate(uri: str, stream: Stream) -> pa.Table:
        inlet = Recorder(stream)
        source(uri, stream).run(inlet, None, inlet.stopping)
        assert inlet.finished
        return inlet.rows

    return generate
