"""Queries that come while others run, and what is left of those that go; on both runners."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import windrow
from tests.runtime.stateful import QUERIES, STREAMS, feed, turns
from windrow.log.file_log import FileLog
from windrow.runtime import pipeline

SPARK = pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.timeout(240)])


@pytest.fixture(params=["inline", SPARK])
def db(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[windrow.Database]:
    """With logs that drop whatever they may."""
    monkeypatch.setattr(pipeline, "FileLog", partial(FileLog, segment_bytes=1))
    with windrow.connect(request.param, "local[2]", tmp_path) as opened:
        opened.execute(STREAMS)
        yield opened


def rows(answer: pa.Table) -> list[dict[str, Any]]:
    return sorted(answer.to_pylist(), key=str)


def test_queries_come_and_go(db: windrow.Database, tmp_path: Path) -> None:
    feeding = turns(12)
    first = {name: db.query(QUERIES[name], name=name) for name in ("pairs", "different")}
    for _ in range(4):
        feed(db, next(feeding))
    assert db.notices() == []

    shorter = [db.query(sql.replace("20 S", "10 S"), name=f"{name} 10") for name, sql in QUERIES.items()]
    longer = db.query(QUERIES["pairs"].replace("20 S", "90 S"), name="longer")
    *told, last = db.notices()
    assert len(told) == len(shorter)
    by_time = [each for each in told if not each.startswith("newest")]
    assert all(each.endswith("from the log: its windows are full") for each in by_time)
    assert len(by_time) == len(told) - 1
    assert last.endswith("of Sale from the log: its windows may not be full yet")
    feed(db, next(feeding))
    second = {name: db.query(query.sql, name=f"{name} again") for name, query in first.items()}
    feed(db, next(feeding))
    for name, query in first.items():
        assert rows(second[name].answer()) == rows(query.answer()) != []

    for query in [*shorter, longer, *first.values()]:
        query.stop()
    for _ in range(2):
        feed(db, next(feeding))
    assert sorted(path.name.partition("-")[0] for path in tmp_path.glob("state/*")) == [
        "different%20again",
        "pairs%20again",
    ]
    before = entries(tmp_path)
    for query in second.values():
        query.stop()
    feed(db, next(feeding))
    assert not list(tmp_path.glob("state/*"))
    assert entries(tmp_path) < before


def entries(checkpoint: Path) -> int:
    """How many segments the logs have."""
    return len(list(checkpoint.glob("log/*/*.data")))
