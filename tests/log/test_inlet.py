"""Stamping, slack, lateness, clocks, and what a restart finds of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pytest

from tests.conftest import NOON, HandMovedWall
from tests.log.conftest import EXTERNAL, INTERNAL, LATENT, arrivals, items, told
from windrow.catalog import Part, Stream
from windrow.delta import BEGINNING, NEVER
from windrow.errors import SourceError
from windrow.log.file_log import FileLog
from windrow.log.inlet import StreamInlet
from windrow.log.stream_log import MemoryLog, Payload, Position, StreamLog, Times, part_schemas
from windrow.schema import Schema

SLACK_5 = Stream("S", EXTERNAL.schema, EXTERNAL.stamping, "at", slack=5)


def inlet(
    stream: Stream, wall: HandMovedWall, log: StreamLog | None = None
) -> tuple[StreamInlet, StreamLog]:
    log = MemoryLog() if log is None else log
    return StreamInlet(stream, log, now=wall), log


def stamps(log: StreamLog) -> list[tuple[int, int]]:
    entries = log.index().entries
    return list(zip(entries["stamp"].tolist(), entries["last_stamp"].tolist(), strict=True))


# Tuples that bring their timestamps


def test_the_clock_is_the_newest_timestamp_less_the_slack(wall: HandMovedWall) -> None:
    door, log = inlet(SLACK_5, wall)
    assert door.clock == BEGINNING
    door.accept(arrivals((1, 10), (2, 30)))
    assert (door.clock, door.newest) == (25, 30)
    door.accept(arrivals((3, 26)))
    assert (door.clock, door.newest) == (25, 30)
    assert log.index().entries["clock"].tolist() == [25, 25]


def test_a_tuple_is_late_below_the_floor_of_its_moment(wall: HandMovedWall) -> None:
    """Slack 5.   arrives  20  15  14  30  24  25
    floor before it        -   15  15  15  25  25
    """
    door, log = inlet(SLACK_5, wall)
    door.accept(arrivals((1, 20), (2, 15), (3, 14), (4, 30), (5, 24), (6, 25)))
    assert told(log) == [[1, 2, 4, 6]]
    assert told(log, Part.LATE) == [[3, 5]]


def test_lateness_does_not_depend_on_how_tuples_are_handed_over(wall: HandMovedWall) -> None:
    at_once, one_log = inlet(SLACK_5, wall)
    one_by_one, other_log = inlet(SLACK_5, wall)
    tuples = [(number, ts) for number, ts in enumerate([7, 3, 12, 6, 7, 8, 40, 34, 35, 7])]
    at_once.accept(arrivals(*tuples))
    for each in tuples:
        one_by_one.accept(arrivals(each))
    for part in (Part.TUPLES, Part.LATE):
        assert list(chain(*told(one_log, part))) == list(chain(*told(other_log, part)))
    assert at_once.clock == one_by_one.clock == 35


def test_ties_with_the_clock_are_in_time(wall: HandMovedWall) -> None:
    door, log = inlet(EXTERNAL, wall)
    door.accept(arrivals((1, 10)))
    door.accept(arrivals((2, 10), (3, 9)))
    assert told(log) == [[1], [2]]
    assert told(log, Part.LATE) == [[], [3]]


def test_a_tuple_without_a_timestamp_is_rejected_with_the_reason(wall: HandMovedWall) -> None:
    door, log = inlet(EXTERNAL, wall)
    door.accept(arrivals((1, None), (2, 10)), rejected=[("x,y", "not a number")])
    assert told(log) == [[2]]
    assert told(log, Part.REJECTED) == [["x,y", '{"item":1,"at":null}']]
    (entry,) = log.index().entries
    reasons = log.read(entry, Part.REJECTED).column("reason").to_pylist()
    assert reasons == ["not a number", "the timestamp at is NULL"]


@pytest.mark.parametrize("ts", [2**63 - 1, -(2**63), -(2**63) + 1, 2**61 + 1, -(2**61) - 1])
def test_an_instant_beyond_all_time_is_rejected(wall: HandMovedWall, ts: int) -> None:
    """2**63-1 and its negative are DuckDB's infinities."""
    door, log = inlet(EXTERNAL, wall)
    door.accept(arrivals((1, ts), (2, 10), (3, None)))
    assert told(log) == [[2]]
    assert (door.clock, door.newest) == (10, 10)
    (entry,) = log.index().entries
    refused = log.read(entry, Part.REJECTED).to_pylist()
    assert refused[0] == {"input": f'{{"item":1,"at":{ts}}}', "reason": "the timestamp at is no instant"}


@pytest.mark.parametrize("ts", [2**61, -(2**61)])
def test_the_farthest_instants_are_accepted(wall: HandMovedWall, ts: int) -> None:
    door, log = inlet(SLACK_5, wall)
    door.accept(arrivals((1, ts)))
    assert (told(log), door.clock) == ([[1]], ts - 5)


def test_rejected_input_alone_moves_no_clock(wall: HandMovedWall) -> None:
    door, log = inlet(EXTERNAL, wall)
    door.accept(arrivals(), rejected=[("x", "y")], position={"line": 1})
    assert (door.clock, door.newest, door.position) == (BEGINNING, BEGINNING, {"line": 1})
    assert log.index().entries["rows"].tolist() == [[0, 0, 1]]


def test_advancing_makes_that_instant_and_all_before_it_late(wall: HandMovedWall) -> None:
    door, log = inlet(SLACK_5, wall)
    door.accept(arrivals((1, 20)))
    door.advance(20)
    door.accept(arrivals((2, 20), (3, 21)))
    assert told(log) == [[1], [], [3]]
    assert told(log, Part.LATE) == [[], [], [2]]
    assert door.clock == 20


def test_advancing_to_the_clock_closes_that_instant(wall: HandMovedWall) -> None:
    door, log = inlet(EXTERNAL, wall)
    door.accept(arrivals((1, 20)))
    door.advance(20)
    door.accept(arrivals((2, 20)))
    assert told(log, Part.LATE)[-1] == [2]


def test_advancing_backwards_does_nothing(wall: HandMovedWall) -> None:
    door, log = inlet(EXTERNAL, wall)
    door.advance(20)
    door.advance(10)
    assert (door.clock, log.index().end) == (20, 1)


def test_a_stream_that_follows_still_takes_ties(wall: HandMovedWall) -> None:
    door, log = inlet(EXTERNAL, wall)
    door.follow(20)
    door.accept(arrivals((1, 20), (2, 19)))
    assert (told(log)[-1], told(log, Part.LATE)[-1]) == ([1], [2])


def test_after_the_end_everything_is_late(wall: HandMovedWall) -> None:
    door, log = inlet(EXTERNAL, wall)
    door.finish()
    assert door.clock == NEVER
    door.accept(arrivals((1, 2**61)))
    assert told(log, Part.LATE)[-1] == [1]
    assert door.newest == BEGINNING


def test_a_heartbeat_of_a_stream_that_brings_its_timestamps_is_for_its_late_tuples(
    wall: HandMovedWall,
) -> None:
    door, log = inlet(EXTERNAL, wall)
    door.accept(arrivals((1, 10), (2, 5)))
    wall.move(1000)
    door.beat()
    door.beat()
    assert (door.clock, door.newest) == (10, 10)
    assert (door.clock_of(EXTERNAL.late), door.newest_of(EXTERNAL.late)) == (NOON + 1000, NOON + 1000)
    assert log.index().end == 2
    assert log.index().clock_at(EXTERNAL.late, 2) == NOON + 1000


# Tuples that the system stamps


@pytest.mark.parametrize("stream", [INTERNAL, LATENT], ids=["internal", "latent"])
def test_stamps_rise_strictly_whatever_the_wall_clock_does(stream: Stream, wall: HandMovedWall) -> None:
    door, log = inlet(stream, wall)
    for move in (0, 0, -1_000_000, 0, 1, 2_000_000, -5):
        wall.move(move)
        door.accept(items(1, 2, 3))
    flat = [stamp for first, last in stamps(log) for stamp in range(first, last + 1)]
    assert flat == sorted(set(flat))
    assert len(flat) == 21
    assert door.clock == flat[-1]
    assert flat[:9] == list(range(NOON, NOON + 9))
    assert flat[15] == NOON + 1_000_001


def test_an_internal_timestamp_is_a_column(wall: HandMovedWall) -> None:
    door, log = inlet(INTERNAL, wall)
    door.accept(items(5, 6))
    (entry,) = log.index().entries
    batch = log.read(entry, Part.TUPLES)
    assert batch.schema == INTERNAL.schema.arrow
    assert batch.column("current_time").cast(pa.int64()).to_pylist() == [NOON, NOON + 1]


def test_late_and_rejected_rows_have_stamps_of_their_own(wall: HandMovedWall) -> None:
    door, log = inlet(EXTERNAL, wall)
    door.accept(arrivals((1, 10), (2, 5), (3, None)))
    door.accept(arrivals((4, 4)))
    assert stamps(log) == [(NOON, NOON + 2), (NOON + 3, NOON + 3)]


def test_a_beat_moves_the_clock_to_the_wall_clock_and_never_back(wall: HandMovedWall) -> None:
    door, log = inlet(INTERNAL, wall)
    door.accept(items(1))
    wall.move(1000)
    door.beat()
    assert door.clock == NOON + 1000
    wall.move(-500)
    door.beat()
    assert (door.clock, log.index().end) == (NOON + 1000, 2)
    door.accept(items(2))
    assert stamps(log)[-1] == (NOON + 1001, NOON + 1001)


@pytest.mark.parametrize("stream", [INTERNAL, LATENT], ids=["internal", "latent"])
def test_what_comes_after_an_advance_is_stamped_after_it(stream: Stream, wall: HandMovedWall) -> None:
    door, log = inlet(stream, wall)
    door.advance(NOON + 10_000)
    door.accept(items(1))
    assert stamps(log)[-1][0] == NOON + 10_001
    assert door.clock == NOON + 10_001


@pytest.mark.parametrize("stream", [INTERNAL, LATENT], ids=["internal", "latent"])
def test_what_comes_after_the_end_is_late_and_not_lost(stream: Stream, wall: HandMovedWall) -> None:
    door, log = inlet(stream, wall)
    door.accept(items(1))
    door.finish()
    door.accept(items(2))
    assert (told(log), told(log, Part.LATE)) == ([[1], [], []], [[], [], [2]])
    assert (door.clock, door.newest) == (NEVER, stamps(log)[-1][1])


# Failures and restarts


class FullLog(MemoryLog):
    """A log whose disk is full now and then."""

    full = False

    def append(self, payload: Payload, times: Times, position: Position | None = None) -> None:
        if self.full:
            raise SourceError("full")
        super().append(payload, times, position)


@pytest.mark.parametrize("stream", [EXTERNAL, LATENT], ids=["external", "latent"])
def test_a_hand_over_that_failed_can_be_repeated(stream: Stream, wall: HandMovedWall) -> None:
    log = FullLog()
    door, _ = inlet(stream, wall, log)
    rows = arrivals((1, 10), (2, 20)) if stream is EXTERNAL else items(1, 2)
    log.full = True
    with pytest.raises(SourceError):
        door.accept(rows)
    with pytest.raises(SourceError):
        door.advance(2**60)
    with pytest.raises(SourceError):
        door.finish()
    assert (door.clock, door.newest) == (BEGINNING, BEGINNING)
    log.full = False
    door.accept(rows)
    assert told(log) == [[1, 2]]
    assert stamps(log) == [(NOON, NOON + 1)]


@pytest.fixture
def reopened(tmp_path: Path, wall: HandMovedWall) -> Callable[[Stream], tuple[StreamInlet, FileLog]]:
    """A new inlet on the log in the test's folder, as after a restart."""

    def open_one(stream: Stream) -> tuple[StreamInlet, FileLog]:
        log = FileLog(tmp_path / "log", part_schemas(stream), durable=False)
        return StreamInlet(stream, log, now=wall), log

    return open_one


def test_a_restart_finds_clock_floor_and_position(
    reopened: Callable[[Stream], tuple[StreamInlet, FileLog]],
) -> None:
    door, log = reopened(SLACK_5)
    door.accept(arrivals((1, 20), (2, 30)), position={"line": 2})
    door.advance(27)
    log.close()
    door, log = reopened(SLACK_5)
    assert (door.clock, door.newest, door.position) == (27, 30, {"line": 2})
    door.accept(arrivals((3, 27), (4, 28)))
    assert (told(log)[-1], told(log, Part.LATE)[-1]) == ([4], [3])
    log.close()


def test_a_restart_stamps_on_from_the_last_stamp(
    reopened: Callable[[Stream], tuple[StreamInlet, FileLog]], wall: HandMovedWall
) -> None:
    door, log = reopened(INTERNAL)
    door.accept(items(1, 2))
    log.close()
    wall.move(-1_000_000)
    door, log = reopened(INTERNAL)
    door.accept(items(3))
    assert stamps(log) == [(NOON, NOON + 1), (NOON + 2, NOON + 2)]
    log.close()


def test_a_restart_of_an_ended_stream_draws_no_other_to_the_end_of_time(
    reopened: Callable[[Stream], tuple[StreamInlet, FileLog]],
) -> None:
    door, log = reopened(LATENT)
    door.accept(items(1))
    door.finish()
    log.close()
    door, log = reopened(LATENT)
    assert (door.clock, door.newest) == (NEVER, NOON)
    log.close()


def test_each_hand_over_is_told(wall: HandMovedWall) -> None:
    arrived: list[str] = []
    door = StreamInlet(
        EXTERNAL,
        MemoryLog(),
        now=wall,
        wait_for_room=lambda: arrived.append("waits"),
        on_arrival=lambda: arrived.append("arrived"),
    )
    door.accept(arrivals((1, 1)))
    door.advance(9)
    door.advance(9)
    assert arrived == ["waits", "arrived", "arrived"]


def test_rows_in_many_chunks_and_other_column_order_are_taken(wall: HandMovedWall) -> None:
    door, log = inlet(EXTERNAL, wall)
    rows = pa.concat_tables([arrivals((1, 10), (2, None)), arrivals((3, 5), (4, 11))])
    door.accept(rows.select(["at", "item"]))
    assert (told(log), told(log, Part.LATE)) == ([[1, 4]], [[3]])


def test_a_stream_of_many_columns_shows_far_instants_of_each(wall: HandMovedWall) -> None:
    schema = Schema.of(("at", "TIMESTAMP"), ("seen", "TIMESTAMP"), ("said", "VARCHAR"))
    door, log = inlet(Stream("S", schema, EXTERNAL.stamping, "at"), wall)
    rows = pa.table(
        [pa.array([None], pa.timestamp("us")), pa.array([-(2**63)]).cast(pa.timestamp("us")), ["é"]],
        schema=schema.arrow,
    )
    door.accept(rows)
    assert told(log, Part.REJECTED) == [['{"at":null,"seen":-9223372036854775808,"said":"é"}']]
