"""How far a batch may go."""

from __future__ import annotations

import pytest

from tests.conftest import HandMovedWall
from tests.log.conftest import LATENT, items
from windrow.log.inlet import StreamInlet
from windrow.log.stream_log import MemoryLog
from windrow.runtime.execution import NUMBER, PROGRAM
from windrow.runtime.offsets import next_offsets, rows_between


def log_of(*rows: int) -> MemoryLog:
    """A log whose entries have so many rows; none is a step of the clock."""
    log = MemoryLog()
    wall = HandMovedWall()
    inlet = StreamInlet(LATENT, log, now=wall)
    for count in rows:
        if count:
            inlet.accept(items(*range(count)))
        else:
            wall.move(1000)
            inlet.beat()
    return log


def test_the_first_batch_brings_the_program() -> None:
    assert next_offsets({}, {}, {}, 1, 100) == {PROGRAM: 1, NUMBER: 1}


def test_there_is_none_while_nothing_is_new() -> None:
    logs = {"s": log_of(5)}
    end = next_offsets({}, logs, {}, 1, 100)
    assert end == {"s": 1, PROGRAM: 1, NUMBER: 1}
    assert next_offsets(end, logs, {}, 1, 100) is None


def test_a_new_version_of_the_program_is_something_new() -> None:
    start = {"s": 1, PROGRAM: 1, NUMBER: 7}
    assert next_offsets(start, {"s": log_of(5)}, {}, 2, 100) == {"s": 1, PROGRAM: 2, NUMBER: 8}


@pytest.mark.parametrize(
    ("start", "rows", "end"),
    [
        # entries have 3 4 0 5 rows
        (0, 100, 4),
        (0, 12, 4),
        (0, 11, 3),
        (0, 7, 3),
        (0, 6, 1),
        (0, 1, 1),
        (1, 4, 3),
        (3, 1, 4),
    ],
)
def test_a_batch_has_at_most_so_many_rows_or_one_entry(start: int, rows: int, end: int) -> None:
    given = {"s": start, PROGRAM: 1, NUMBER: 1}
    assert next_offsets(given, {"s": log_of(3, 4, 0, 5)}, {}, 1, rows) == {"s": end, PROGRAM: 1, NUMBER: 2}


def test_a_beat_is_worth_a_batch() -> None:
    log = log_of(3, 0)
    assert next_offsets({"s": 1, PROGRAM: 1, NUMBER: 1}, {"s": log}, {}, 1, 10) is not None


def test_what_was_dropped_is_behind() -> None:
    log = log_of(3, 3, 3)
    log.drop_before(3)
    assert next_offsets({PROGRAM: 1}, {"s": log}, {}, 1, 100) == {"s": 3, PROGRAM: 1, NUMBER: 1}


def test_rows_are_counted_over_all_logs() -> None:
    logs = {"s": log_of(3, 4), "t": log_of(5)}
    assert rows_between({"s": 1}, {"s": 2, "t": 1}, logs) == 9
    assert rows_between({"s": 2, "t": 1}, {"s": 2, "t": 1}, logs) == 0
