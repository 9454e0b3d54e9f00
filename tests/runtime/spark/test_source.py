"""The data source as Spark calls it, without Spark: offsets, slices, and what a worker reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import windrow
from tests.runtime.spark.packets import STREAM, packets
from windrow.runtime.execution import NUMBER, PROGRAM, Exchanged, Result
from windrow.runtime.spark.messages import Failure, decode
from windrow.runtime.spark.source import SLICE_ROWS, LogPartition, LogStreamReader

Start = dict[str, int]


@pytest.fixture
def db(tmp_path: Path) -> Iterator[windrow.Database]:
    """Streams and queries in a checkpoint that the source reads while the database is open."""
    with windrow.connect(runner="inline", checkpoint=tmp_path) as opened:
        opened.execute(STREAM)
        yield opened


def reader(checkpoint: Path, rows: int = 10**9, slices: int = 2) -> LogStreamReader:
    options = {"checkpoint": str(checkpoint), "rows": str(rows), "slices": str(slices), "buckets": "2"}
    return LogStreamReader(options)


def test_nothing_new_is_the_offset_that_it_was(db: windrow.Database, tmp_path: Path) -> None:
    source = reader(tmp_path)
    db.query("SELECT src FROM Packets")
    end = source.latestOffset(source.initialOffset(), None)
    assert end[NUMBER] == 1
    assert source.latestOffset(end, None) == end
    assert source.partitions(end, end) == []


def test_a_query_is_news_without_any_tuple(db: windrow.Database, tmp_path: Path) -> None:
    source = reader(tmp_path)
    first = source.latestOffset(source.initialOffset(), None)
    db.query("SELECT src FROM Packets")
    second = source.latestOffset(first, None)
    assert (second[PROGRAM], second[NUMBER]) == (first[PROGRAM] + 1, first[NUMBER] + 1)


def test_a_batch_is_bounded(db: windrow.Database, tmp_path: Path) -> None:
    db.query("SELECT src FROM Packets")
    for number in range(4):
        db.push("Packets", packets(number * 100, 100))
    source = reader(tmp_path, rows=250)
    log = next(name for name in source.latestOffset(source.initialOffset(), None) if "packets" in name)
    ends = []
    end: Start = source.initialOffset()
    for _ in range(3):
        end = source.latestOffset(end, None)
        ends.append(end[log])
    assert ends == [2, 4, 4]


@pytest.mark.parametrize("slices", [1, 2, 5])
def test_slices_are_the_batch_in_time_order(db: windrow.Database, tmp_path: Path, slices: int) -> None:
    db.query("SELECT src FROM Packets WHERE src % 3 = 0")
    rows = slices * SLICE_ROWS
    db.push("Packets", packets(0, rows))
    source = reader(tmp_path, slices=slices)
    start: Start = source.initialOffset()
    partitions = source.partitions(start, source.latestOffset(start, None))
    assert len(partitions) == slices
    read = [message for partition in partitions for message in decode(source.read(partition))]
    numbers = [
        number
        for message in read
        if isinstance(message, Result) and message.content is not None
        for number in message.content.rows["src"].to_pylist()
    ]
    assert numbers == list(range(0, rows, 3))


def test_what_needs_equal_rows_together_is_sent_to_every_bucket(
    db: windrow.Database, tmp_path: Path
) -> None:
    db.query("SELECT ts, src FROM Packets UNION SELECT ts, src FROM Packets")
    db.push("Packets", packets(0, 50))
    source = reader(tmp_path)
    start: Start = source.initialOffset()
    (partition,) = source.partitions(start, source.latestOffset(start, None))
    sent = [message for message in decode(source.read(partition)) if isinstance(message, Exchanged)]
    assert {message.bucket for message in sent} == {0, 1}
    assert sum(len(message.delta) for message in sent) == 100


def test_a_damaged_log_is_told_and_not_thrown(db: windrow.Database, tmp_path: Path) -> None:
    db.query("SELECT src FROM Packets")
    db.push("Packets", packets(0, 10))
    (data,) = tmp_path.glob("log/*/*.data")
    data.unlink()
    source = reader(tmp_path)
    start: Start = source.initialOffset()
    (partition,) = source.partitions(start, source.latestOffset(start, None))
    assert isinstance(partition, LogPartition)
    (failure,) = decode(source.read(partition))
    assert isinstance(failure, Failure)
    assert "a segment of the stream log cannot be read" in failure.text
