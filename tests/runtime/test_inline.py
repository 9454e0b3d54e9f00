"""The inline runner: batches, restarts, crashes, sinks that fail."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from tests.conftest import Connect, HandMovedWall
from tests.runtime.callback_driver import PUSHES
from windrow.errors import CheckpointError, SinkError

ROOT = Path(__file__).parents[2]
SECOND = 1_000_000
S = "CREATE STREAM S (item INT, seen TIMESTAMP) ORDER BY seen"
ITEMS = "SELECT item FROM S"


def answer(table: pa.Table) -> list[object]:
    return table.column(0).to_pylist()


def file_items(folder: Path) -> list[int]:
    lines = [line for path in sorted(folder.glob("*.json*")) for line in path.read_text().splitlines()]
    return [json.loads(line)["item"] for line in lines]


def test_a_batch_has_at_most_batch_rows_of_a_stream(connect: Connect) -> None:
    db = connect(batch_rows=3)
    db.execute(S)
    query = db.query(ITEMS)
    for number in range(8):
        db.push("S", [(number, number)])
    db.run_until_idle()
    assert answer(query.answer()) == list(range(8))
    assert db.metrics().batches == 3


def test_one_entry_is_never_divided(connect: Connect) -> None:
    db = connect(batch_rows=3)
    db.execute(S)
    query = db.query(ITEMS)
    db.push("S", [(number, number) for number in range(10)])
    db.run_until_idle()
    assert (query.answer().num_rows, db.metrics().batches) == (10, 1)


def test_a_restart_goes_on_where_it_was(connect: Connect, tmp_path: Path) -> None:
    """Into a file, so that all that was ever put out is there to be seen."""
    insert = f"INSERT INTO 'file://{tmp_path}/out?format=json' {ITEMS}"
    for life in range(3):
        with connect(checkpoint=tmp_path / "checkpoint") as db:
            db.execute(f"{S} SLACK 2 SECONDS; {insert};")
            first = 4 * life
            db.push("S", [(number, number * SECOND) for number in range(first, first + 2)])
            db.run_until_idle()
            db.push("S", [(number, number * SECOND) for number in range(first + 2, first + 4)])
    with connect(checkpoint=tmp_path / "checkpoint") as db:
        db.advance("S", 100 * SECOND)
        db.run_until_idle()
    assert file_items(tmp_path / "out") == list(range(12))


def test_what_the_slack_held_back_survives_and_comes_in_order(connect: Connect, tmp_path: Path) -> None:
    with connect(checkpoint=tmp_path) as db:
        db.execute(f"{S} SLACK 10 SECONDS")
        query = db.query(ITEMS)
        db.push("S", [(3, 13 * SECOND), (1, 5 * SECOND), (2, 11 * SECOND), (0, 3 * SECOND)])
        db.run_until_idle()
        assert answer(query.answer()) == [0]
    with connect(checkpoint=tmp_path) as db:
        query = db.query(ITEMS)
        db.push("S", [(4, 20 * SECOND)])
        db.run_until_idle()
        assert answer(query.changes().drop_columns(["op", "ts"])) == [1]
        db.advance("S", 30 * SECOND)
        db.run_until_idle()
        assert answer(query.answer()) == [1, 2, 3, 4]


def test_a_callback_that_fails_gets_the_batch_again(connect: Connect) -> None:
    given: list[tuple[int, list[object]]] = []
    failures = 2

    def refuse_twice(batch: int, changes: pa.Table) -> None:
        nonlocal failures
        if failures:
            failures -= 1
            raise OSError("not now")
        given.append((batch, answer(changes.drop_columns(["op", "ts"]))))

    db = connect()
    db.execute(S)
    other = db.query(ITEMS)
    query = db.query("SELECT seen, item FROM S UNION SELECT seen, item FROM S", into=refuse_twice)
    db.push("S", [(1, SECOND), (1, SECOND), (2, SECOND)])
    for _ in range(2):
        with pytest.raises(SinkError) as refused:
            db.run_until_idle()
        assert refused.value.message.startswith("the callback refuse_twice failed on batch 1: OSError: not")
        db.push("S", [(3, 2 * SECOND)])
    db.run_until_idle()
    assert [batch for batch, _ in given] == [1, 2]
    assert [len(moments) for _, moments in given] == [2, 1]
    assert answer(other.answer()) == [1, 1, 2, 3, 3]
    assert (query.metrics()["tuples_out"], other.metrics()["tuples_out"]) == (3, 5)


def test_a_batch_begun_for_what_was_dropped_since_is_nothing(connect: Connect) -> None:
    def refuse(_batch: int, _changes: pa.Table) -> None:
        raise OSError("never")

    db = connect()
    db.execute(f"{S}; CREATE STREAM T (item INT)")
    query = db.query(ITEMS, into=refuse)
    other = db.query("SELECT item FROM T")
    db.push("S", [(1, SECOND)])
    db.push("T", [(2,)])
    with pytest.raises(SinkError):
        db.run_until_idle()
    query.stop()
    db.execute("DROP STREAM S")
    db.run_until_idle()
    assert answer(other.answer()) == [2]


def test_a_query_does_not_get_what_was_for_another_of_its_name(connect: Connect) -> None:
    def refuse(_batch: int, _changes: pa.Table) -> None:
        raise OSError("never")

    db = connect()
    db.execute(S)
    db.query(ITEMS, name="q", into=refuse)
    db.push("S", [(1, SECOND)])
    with pytest.raises(SinkError):
        db.run_until_idle()
    db.drop_query("q")
    query = db.query("SELECT item + 1 AS next, 'x' AS mark FROM S", name="q")
    db.run_until_idle()
    assert query.answer().to_pylist() == [{"next": 2, "mark": "x"}]


@pytest.mark.parametrize("die_at", [[1], [3, 1, 5]], ids=["once", "again and again"])
def test_a_crash_between_sink_and_journal_loses_and_doubles_nothing(
    tmp_path: Path, die_at: list[int]
) -> None:
    """The sink keeps what it got by batch number: the batch that comes again has the same content."""
    written = tmp_path / "written"
    written.mkdir()
    command = [sys.executable, "-m", "tests.runtime.callback_driver", str(tmp_path / "c"), str(written)]
    for calls in [*die_at, 0]:
        before = {path.name: path.read_text() for path in written.iterdir()}
        ran = subprocess.run([*command, str(calls)], timeout=60, cwd=ROOT, capture_output=True, text=True)
        assert ran.returncode == (9 if calls else 0), ran.stderr
        after = {path.name: path.read_text() for path in written.iterdir()}
        assert {name: after[name] for name in before} == before
    counts = Counter(item for path in written.iterdir() for item in json.loads(path.read_text()))
    assert counts == Counter([*range(PUSHES), *range(1000, 1000 + PUSHES)])


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"done": 5, "begun": null}'])
def test_a_damaged_journal_is_told(connect: Connect, tmp_path: Path, content: str) -> None:
    with connect(checkpoint=tmp_path) as db:
        db.execute(S)
        db.query(ITEMS)
        db.push("S", [(1, SECOND)])
        db.run_until_idle()
    (tmp_path / "journal" / "inline.json").write_text(content)
    with connect(checkpoint=tmp_path) as db, pytest.raises(CheckpointError) as refused:
        db.run_until_idle()
    assert refused.value.message == "inline.json: a file of the checkpoint is damaged"


def test_logs_give_back_what_no_query_needs(connect: Connect) -> None:
    db = connect()
    db.execute(
        f"{S} SLACK 2 SECONDS; CREATE STREAM K (item INT, seen TIMESTAMP) ORDER BY seen RETAIN 5 SECONDS"
    )
    query = db.query("SELECT item FROM S UNION ALL SELECT item FROM K")
    for number in range(30):
        for stream in ("S", "K"):
            db.push(stream, [(number, number * SECOND)])
        db.run_until_idle()
    logs = db._pipeline.logs
    assert len(logs["s-1"].index().entries) <= 5
    assert 6 <= len(logs["k-2"].index().entries) <= 9
    late_comer = db.query("SELECT item FROM K")
    db.run_until_idle()
    assert answer(late_comer.answer())[-5:] == [25, 26, 27, 28, 29]
    assert query.answer().num_rows == 28 * 2


def test_late_tuples_that_wait_for_another_stream_are_kept(connect: Connect) -> None:
    db = connect(idle_timeout="1000 days")
    db.execute(f"{S}; CREATE STREAM E (item INT, seen TIMESTAMP) ORDER BY seen")
    both = db.query("SELECT item FROM S.late UNION ALL SELECT item FROM E")
    db.query(ITEMS)
    db.push("S", [(1, 10 * SECOND), (2, 5 * SECOND)])
    for number in range(5):
        db.push("S", [(9, (11 + number) * SECOND)])
        db.run_until_idle()
    db.advance("E", 2**61)
    db.run_until_idle()
    assert answer(both.answer()) == [2]


def test_delays_are_of_what_arrives_after_they_were_forgotten(
    connect: Connect, wall: HandMovedWall
) -> None:
    db = connect()
    db.execute("CREATE STREAM S (item INT)")
    db.query("SELECT item FROM S")
    for pushed, told in ((60, None), (1, 1.0)):
        db.push("S", [(1,)])
        wall.move(pushed * 1_000_000)
        if told is None:
            db.forget_delays()
        db.run_until_idle()
        assert db.metrics().delay_p99 == told
    assert db.metrics().tuples_in == 2
