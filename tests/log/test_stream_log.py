"""What both kinds of log promise."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tests.log.conftest import EXTERNAL, append_all, arrivals, one, times, told, whole
from windrow.catalog import Part
from windrow.log.stream_log import NOTHING, StreamLog

REJECTED = pa.table({"input": ["x,y"], "reason": ["not two numbers"]})


def test_entries_are_read_back_in_arrival_order(log: StreamLog) -> None:
    append_all(log, [one(1, 30), one(2, 10), one(3, 20)])
    assert told(log) == [[1], [2], [3]]
    assert log.index().entries["clock"].tolist() == [30, 10, 20]


def test_parts_lie_side_by_side(log: StreamLog) -> None:
    late, rejected = arrivals((7, 1)), whole(REJECTED)
    with log.lock:
        log.append((whole(arrivals((1, 5))), whole(late), rejected), times(5, 5, 5))
    assert told(log, Part.LATE) == [[7]]
    assert told(log, Part.REJECTED) == [["x,y"]]
    assert log.index().entries["totals"].tolist() == [[1, 1, 1]]


def test_an_entry_may_be_a_step_of_the_clock(log: StreamLog) -> None:
    append_all(log, [one(1, 5), (NOTHING, times(9))])
    assert told(log) == [[1], []]
    assert log.index().entries["totals"][:, 0].tolist() == [1, 1]


def test_the_position_is_that_of_the_last_entry_that_had_one(log: StreamLog) -> None:
    with log.lock:
        log.append(*one(1, 5), {"line": 3})
        log.append(*one(2, 6))
    assert log.position == {"line": 3}


def test_what_was_looked_at_stays_while_the_log_grows(log: StreamLog) -> None:
    append_all(log, [one(1, 5)])
    seen = log.index()
    append_all(log, [one(number, number) for number in range(200)])
    assert len(seen.entries) == 1
    assert len(log.index().entries) == 201
    assert told(log)[200] == [199]


def test_dropping_keeps_the_clock(log: StreamLog) -> None:
    append_all(log, [one(number, 10 * number) for number in range(5)])
    log.drop_before(99)
    assert log.index().end == 5
    assert log.index().entries[-1]["clock"] == 40
    append_all(log, [one(9, 50)])
    assert log.index().entries[-1]["totals"][0] == 6
    assert told(log)[-1] == [9]


def test_what_is_folded_is_one_entry(log: StreamLog) -> None:
    append_all(log, [one(number, 10 * number) for number in range(6)])
    for position, first in ((3, [99]), (5, [])):
        with log.lock:
            rows = whole(arrivals(*((item, 7) for item in first))) if first else None
            log.fold(position, (rows, None, None), times(7, 7, 7))
        index = log.index()
        assert index.first == position - 1
        assert told(log) == [first, *([number] for number in range(position, 6))]
        assert index.entries["totals"][:, 0].tolist() == list(range(position, 7))
        assert index.clock_at(EXTERNAL, position) == 7
    append_all(log, [one(6, 60)])
    assert told(log) == [[], [5], [6]]


def test_dropping_the_same_again_changes_nothing(log: StreamLog) -> None:
    append_all(log, [one(number, number) for number in range(5)])
    log.drop_before(3)
    first = log.index().first
    log.drop_before(3)
    log.drop_before(0)
    assert log.index().first == first
    assert told(log)[-2:] == [[3], [4]]


def test_dropping_keeps_the_clock_at_the_position(log: StreamLog) -> None:
    append_all(log, [one(number, 10 * number) for number in range(5)])
    log.drop_before(3)
    assert log.index().clock_at(EXTERNAL, 3) == 20
    log.drop_before(5)
    assert log.index().clock_at(EXTERNAL, 5) == 40


def test_a_payload_part_that_is_empty_has_no_rows_to_read(log: StreamLog) -> None:
    append_all(log, [one(1, 5)])
    (entry,) = log.index().entries
    assert entry["rows"].tolist() == [1, 0, 0]


@pytest.mark.parametrize("rows", [1, 1000])
def test_rows_come_back_as_they_were(log: StreamLog, rows: int) -> None:
    table = arrivals(*((number % 7 or None, number) for number in range(rows)))
    append_all(log, [((whole(table), None, None), times(rows, 0, rows))])
    (entry,) = log.index().entries
    assert log.read(entry, Part.TUPLES).equals(whole(table))
