"""Sources on their threads, the pace of silent streams, and room to wait for."""

from __future__ import annotations

import threading
from dataclasses import replace

import pyarrow as pa
import pytest

from tests.conftest import NOON, HandMovedWall
from tests.log.conftest import EXTERNAL, INTERNAL, LATENT, arrivals, items, told
from windrow.catalog import Part, Stream
from windrow.delta import BEGINNING
from windrow.errors import SourceError
from windrow.log.inlet import StreamInlet
from windrow.log.stream_log import MemoryLog, Position
from windrow.runtime.feeding import BEAT, Backlog, Feed, Pacemaker
from windrow.sources.base import Inlet, Source

TIMEOUT = 30_000_000
OTHER = replace(EXTERNAL, name="T")


class Group:
    """Streams that one query reads, and the pacemaker that looks after them."""

    def __init__(self, wall: HandMovedWall, *streams: Stream) -> None:
        self.wall = wall
        self.streams = streams
        self.logs = {stream.log: MemoryLog() for stream in streams}
        owners = {stream.log: stream for stream in streams if stream.part is Part.TUPLES}
        self.inlets = {
            name: StreamInlet(owners[name], log, now=wall)
            for name, log in self.logs.items()
            if name in owners
        }
        self._pacemaker = Pacemaker(wall, TIMEOUT)

    def accept(self, stream: Stream, rows: pa.Table) -> None:
        self.inlets[stream.log].accept(rows)

    def after(self, microseconds: int) -> list[int]:
        """The streams' clocks, after time has passed and the pacemaker has looked."""
        self.wall.move(microseconds)
        self._pacemaker.pulse([self.streams], self.inlets)
        return [self.inlets[stream.log].clock_of(stream) for stream in self.streams]


def test_an_idle_stream_follows_the_newest_tuple_that_waits_for_it(wall: HandMovedWall) -> None:
    group = Group(wall, EXTERNAL, OTHER)
    group.accept(EXTERNAL, arrivals((1, 100)))
    assert group.after(TIMEOUT - 1) == [100, BEGINNING]
    assert group.after(1) == [100, 100]


def test_its_own_heartbeat_comes_before_the_timeout(wall: HandMovedWall) -> None:
    brisk = replace(OTHER, heartbeat=1_000_000)
    group = Group(wall, EXTERNAL, brisk)
    group.accept(EXTERNAL, arrivals((1, 100)))
    assert group.after(999_999) == [100, BEGINNING]
    assert group.after(1) == [100, 100]


def test_a_stream_that_is_fed_now_and_then_is_not_idle(wall: HandMovedWall) -> None:
    group = Group(wall, EXTERNAL, OTHER)
    group.accept(EXTERNAL, arrivals((1, 100)))
    for ts in range(5):
        assert group.after(TIMEOUT - 1)[1] == (ts - 1 if ts else BEGINNING)
        group.accept(OTHER, arrivals((2, ts)))


def test_a_stream_alone_gives_up_its_slack_when_nothing_comes(wall: HandMovedWall) -> None:
    patient = replace(EXTERNAL, slack=50)
    group = Group(wall, patient)
    group.accept(patient, arrivals((1, 100)))
    assert group.after(TIMEOUT - 1) == [50]
    assert group.after(1) == [100]
    group.accept(patient, arrivals((2, 99), (3, 100)))
    assert told(group.logs[patient.log], Part.LATE)[-1] == [2]


def test_nobody_is_moved_while_nobody_waits(wall: HandMovedWall) -> None:
    group = Group(wall, EXTERNAL, OTHER)
    assert group.after(10 * TIMEOUT) == [BEGINNING, BEGINNING]
    group.accept(EXTERNAL, arrivals((1, 100)))
    group.accept(OTHER, arrivals((1, 100)))
    assert group.after(10 * TIMEOUT) == [100, 100]
    assert all(log.index().end == 1 for log in group.logs.values())


@pytest.mark.parametrize("stream", [INTERNAL, LATENT], ids=["internal", "latent"])
def test_a_stream_that_the_system_stamps_follows_the_wall_clock(
    stream: Stream, wall: HandMovedWall
) -> None:
    other = replace(LATENT, name="O")
    group = Group(wall, stream, other)
    group.accept(other, items(1))
    assert group.after(0) == [NOON, NOON]  # it has never beaten: the first beat is due
    wall.move(BEAT // 2)
    group.accept(other, items(2))
    assert group.after(0) == [NOON, NOON + BEAT // 2]
    assert group.after(BEAT // 2) == [NOON + BEAT, NOON + BEAT // 2]


def test_it_beats_as_its_heartbeat_says(wall: HandMovedWall) -> None:
    slow = replace(LATENT, heartbeat=10 * BEAT)
    other = replace(LATENT, name="O")
    group = Group(wall, slow, other)
    group.accept(slow, items(1))
    wall.move(1)
    group.accept(other, items(1))
    assert group.after(9 * BEAT)[0] == NOON
    assert group.after(BEAT)[0] == NOON + 10 * BEAT + 1


def test_late_tuples_of_a_silent_stream_hold_nobody_up_and_leave_its_clock_alone(
    wall: HandMovedWall,
) -> None:
    group = Group(wall, LATENT, EXTERNAL.late)
    external = StreamInlet(EXTERNAL, group.logs[EXTERNAL.log], now=wall)
    group.inlets[EXTERNAL.log] = external
    external.accept(arrivals((1, 100), (2, 5)))
    wall.move(TIMEOUT)
    group.accept(LATENT, items(1))
    assert group.after(0) == [NOON + TIMEOUT, NOON + TIMEOUT]
    assert external.clock == 100


# Sources on threads


class Scripted(Source):
    """Gives a tuple for each release, and ends, or fails, when told to."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.released = threading.Semaphore(0)
        self.given: list[Position | None] = []
        self.closed = threading.Event()
        self._failure = failure

    def open(self) -> None:
        """Nothing to take."""

    def run(self, inlet: Inlet, position: Position | None, stopping: threading.Event) -> None:
        self.given.append(position)
        if self._failure:
            raise self._failure
        inlet.accept(items(1), position={"line": 1})
        while not stopping.wait(0.001):
            pass

    def close(self) -> None:
        self.closed.set()


@pytest.fixture
def inlet(wall: HandMovedWall) -> StreamInlet:
    return StreamInlet(LATENT, MemoryLog(), now=wall)


def test_a_feed_reads_on_from_the_position_in_the_log(wall: HandMovedWall) -> None:
    arrived = threading.Event()
    inlet = StreamInlet(LATENT, MemoryLog(), now=wall, on_arrival=arrived.set)
    for expected in (None, {"line": 1}):
        source = Scripted()
        feed = Feed(source, inlet)
        assert arrived.wait(30)
        arrived.clear()
        assert not feed.idle
        feed.stop()
        assert (source.given, feed.idle, feed.failure) == ([expected], True, None)
        assert source.closed.is_set()


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (SourceError("the port is taken"), "the port is taken"),
        (RuntimeError("boom"), "the source of L failed: RuntimeError('boom')"),
    ],
)
def test_what_a_source_fails_of_is_kept(inlet: StreamInlet, failure: Exception, message: str) -> None:
    source = Scripted(failure)
    feed = Feed(source, inlet)
    assert source.closed.wait(30)
    feed.stop()
    assert feed.failure
    assert feed.failure.message == message


# Room


def test_whoever_hands_over_waits_while_too_much_is_unprocessed() -> None:
    backlog = Backlog(lambda: 10)
    log = MemoryLog()
    through = threading.Event()
    inlet = StreamInlet(LATENT, log, wait_for_room=lambda: backlog.wait_for_room("s", log))
    backlog.active = True
    backlog.processed({"s": 0})
    inlet.accept(items(*range(100)))  # more than the limit, but nothing was there before

    def hand_over() -> None:
        inlet.accept(items(1))
        through.set()

    thread = threading.Thread(target=hand_over, daemon=True)
    thread.start()
    assert not through.wait(0.05)
    backlog.processed({"s": 1})
    assert through.wait(30)
    thread.join(30)
    assert backlog.position("s") == 1


def test_a_source_waits_even_where_nobody_is_processing_and_can_be_stopped() -> None:
    backlog = Backlog(lambda: 1)
    log = MemoryLog()
    inlet = StreamInlet(LATENT, log)
    inlet.accept(items(*range(100)))
    backlog.processed({"l-0": 0})
    feed = Feed(Scripted(), inlet, lambda stopping: backlog.wait_for_room("l-0", log, stopping))
    assert not feed.idle
    feed.stop()
    assert log.index().end == 2
    backlog.processed({"l-0": 2})
    Feed(source := Scripted(), inlet, lambda stopping: backlog.wait_for_room("l-0", log, stopping)).stop()
    assert source.closed.is_set()


def test_nobody_waits_where_nobody_is_processing() -> None:
    backlog = Backlog(lambda: 1)
    log = MemoryLog()
    inlet = StreamInlet(LATENT, log, wait_for_room=lambda: backlog.wait_for_room("s", log))
    backlog.processed({"s": 0})
    for _ in range(3):
        inlet.accept(items(*range(100)))
    assert log.index().end == 3
