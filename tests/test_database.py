"""What programs do with a database: declare, feed, ask, stop, and come back later."""

from __future__ import annotations

import re
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import windrow
from tests.conftest import NOON, Connect, HandMovedWall
from windrow.errors import CheckpointError, Refused, SettingError, SinkError, SourceError, UnknownName
from windrow.runtime.metrics import Metrics
from windrow.runtime.phases import PHASES

BID = "CREATE STREAM Bid (item INT, price REAL, seen TIMESTAMP) ORDER BY seen"
DEAR = "SELECT item FROM Bid WHERE price > 10"
SECOND = 1_000_000


@pytest.fixture
def bids(db: windrow.Database) -> windrow.Database:
    """A database with a stream of bids."""
    db.execute(BID)
    return db


def column(table: pa.Table, name: str = "item") -> list[Any]:
    return table[name].to_pylist()


def pushed(db: windrow.Database, *items: int, price: float = 50.0, at: int = 0) -> None:
    """Bids, a second apart."""
    db.push("Bid", [(item, price, (at + place) * SECOND) for place, item in enumerate(items)])
    db.run_until_idle()


# Declaring and feeding


def test_rows_may_be_tuples_mappings_or_arrow(bids: windrow.Database) -> None:
    query = bids.query(DEAR)
    assert bids.push("Bid", [(1, 20.0, 1)]) == 1
    assert bids.push("bid", [{"ITEM": 2, "price": 20, "seen": 2}, {"item": 3, "seen": 3}]) == 2
    assert bids.push("Bid", pa.table({"item": [4], "price": [20.0], "seen": [4]})) == 1
    assert bids.push("Bid", []) == 0
    bids.run_until_idle()
    assert column(query.answer()) == [1, 2, 4]


def test_bad_rows_leave_nothing_behind(bids: windrow.Database) -> None:
    with pytest.raises(SourceError) as refused:
        bids.push("Bid", [(1, 20.0, 1), (2, "dear", 2)])
    assert refused.value.hint == "its columns are: item INTEGER, price FLOAT, seen TIMESTAMP"
    assert bids.metrics().streams[0].accepted == 0


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Bids", "did you mean Bid?"),
        ("Nothing", "these can: Bid"),
        ("Dear", "these can: Bid"),
        ("Bid.late", "these can: Bid"),
        ("Bid.rejected", "these can: Bid"),
    ],
)
def test_only_declared_streams_are_fed(bids: windrow.Database, name: str, hint: str) -> None:
    bids.execute(f"CREATE STREAM Dear AS {DEAR}")
    for feed in (lambda: bids.push(name, []), lambda: bids.advance(name, 5)):
        with pytest.raises(windrow.Error) as refused:
            feed()
        assert refused.value.message == f"there is no stream {name} that can be fed"
        assert refused.value.hint == hint


@pytest.mark.parametrize(
    "instant", [9 * SECOND, "1970-01-01 00:00:09", datetime(1970, 1, 1, 0, 0, 9, tzinfo=UTC)]
)
def test_advance_takes_every_kind_of_instant(bids: windrow.Database, instant: int | str | datetime) -> None:
    query = bids.query(DEAR)
    bids.advance("Bid", instant)
    bids.run_until_idle()
    assert query.clock == 9 * SECOND


def test_late_and_rejected_tuples_are_counted_and_can_be_queried(bids: windrow.Database) -> None:
    late, rejected = bids.query("SELECT item FROM Bid.late"), bids.query("SELECT * FROM bid.REJECTED")
    bids.push("Bid", [(1, 20.0, 5), (2, 20.0, 4), (3, 20.0, None)])
    bids.run_until_idle()
    assert column(late.answer()) == [2]
    assert rejected.answer().to_pylist() == [
        {"input": '{"item":3,"price":20.0,"seen":null}', "reason": "the timestamp seen is NULL"}
    ]
    (counts,) = bids.metrics().streams
    assert (counts.name, counts.accepted, counts.late, counts.rejected, counts.clock) == ("Bid", 1, 1, 1, 5)


# Queries come and go


def test_a_query_tells_changes_once_and_the_answer_always(bids: windrow.Database) -> None:
    query = bids.query(DEAR)
    assert (query.clock, query.answer().num_rows, query.changes().num_rows) == (None, 0, 0)
    pushed(bids, 1, 2)
    assert query.changes().to_pylist() == [
        {"op": "+I", "ts": datetime(1970, 1, 1), "item": 1},
        {"op": "+I", "ts": datetime(1970, 1, 1, 0, 0, 1), "item": 2},
    ]
    assert query.changes().num_rows == 0
    assert (column(query.answer()), query.clock) == ([1, 2], SECOND)
    told = query.metrics()
    assert (told["tuples_out"], told["failed"], told["failures"]) == (2, 0, [])


def test_queries_are_named_and_listed(bids: windrow.Database) -> None:
    first, second, named = bids.query(DEAR), bids.query(DEAR), bids.query(DEAR, name="Dear")
    assert [first.name, second.name, named.name] == ["q1", "q2", "Dear"] == list(bids.queries)
    assert (first.sql, first.sink, first.schema.names) == (DEAR, "memory:", ("item",))
    second.stop()
    assert bids.query(DEAR).name == "q2"
    with pytest.raises(windrow.Error) as refused:
        bids.query(DEAR, name="DEAR")
    assert refused.value.message == "there is a query DEAR already"
    assert refused.value.hint == "DROP QUERY DEAR first"


def test_queries_come_and_go_while_tuples_flow(bids: windrow.Database) -> None:
    first = bids.query(DEAR)
    pushed(bids, 1)
    second = bids.query("SELECT item + 1 AS item FROM Bid")
    pushed(bids, 2, at=1)
    first.stop()
    third = bids.query("SELECT item FROM Bid UNION ALL SELECT item FROM Bid.late")
    pushed(bids, 3, at=2)
    assert column(first.answer()) == [1, 2]
    assert column(second.answer())[-2:] == [3, 4]
    assert 3 in column(third.answer())
    assert list(bids.queries) == ["q2", "q1"]


def test_a_query_that_comes_later_sees_the_history_that_is_retained(db: windrow.Database) -> None:
    db.execute(f"{BID} RETAIN 1 HOUR")
    db.query(DEAR)
    for item in range(5):
        pushed(db, item, at=item)
    late_comer = db.query(DEAR)
    db.run_until_idle()
    assert column(late_comer.answer()) == [0, 1, 2, 3, 4]
    assert late_comer.clock == 4 * SECOND


def test_what_came_before_anybody_asked_is_kept_for_the_first_who_does(bids: windrow.Database) -> None:
    pushed(bids, 1, 2)
    query = bids.query(DEAR)
    bids.run_until_idle()
    assert column(query.answer()) == [1, 2]


def test_a_stopped_query_says_no_more_and_its_name_is_free(bids: windrow.Database) -> None:
    query = bids.query(DEAR, name="dear")
    pushed(bids, 1)
    query.stop()
    pushed(bids, 2, at=1)
    assert column(query.answer()) == [1]
    assert bids.query(DEAR, name="Dear").name == "Dear"


def test_a_function_gets_each_batch(bids: windrow.Database) -> None:
    given: list[tuple[int, list[int]]] = []
    query = bids.query(DEAR, into=lambda batch, changes: given.append((batch, column(changes))))
    pushed(bids, 1, 2)
    pushed(bids, 3, at=2)
    assert [items for _, items in given] == [[1, 2], [3]]
    assert given[0][0] < given[1][0]
    assert query.sink == "callback:"
    with pytest.raises(SinkError) as refused:
        query.answer()
    assert refused.value.message == "the changes of q1 go to callback:, not to memory"


def test_a_query_may_write_to_a_uri(bids: windrow.Database, tmp_path: Path) -> None:
    bids.query(DEAR, into=f"file://{tmp_path}/out?format=csv")
    pushed(bids, 1, 2)
    (written,) = (tmp_path / "out").glob("*.csv")
    assert written.read_text().split() == ['"item"', "1", "2"]


def test_a_sink_that_is_none_starts_nothing(bids: windrow.Database) -> None:
    with pytest.raises(SinkError, match="there is no sink 'nowhere:'"):
        bids.query(DEAR, into="nowhere:x")
    assert bids.queries == {}
    assert bids.query(DEAR).name == "q1"


def test_a_query_that_means_nothing_starts_nothing(bids: windrow.Database) -> None:
    with pytest.raises(UnknownName) as refused:
        bids.query("SELECT itm FROM Bid")
    assert str(refused.value) == (
        "line 1, column 8: there is no column 'itm'\n"
        "  SELECT itm FROM Bid\n"
        "         ^^^\n"
        "hint: did you mean item?"
    )
    assert bids.queries == {}


def test_tuples_that_cannot_be_computed_are_told_with_reasons(db: windrow.Database) -> None:
    db.execute("CREATE STREAM Said (word VARCHAR)")
    query = db.query("SELECT CAST(word AS INT) AS number FROM Said")
    db.push("Said", [("1",), ("two",), ("3",)])
    db.run_until_idle()
    assert column(query.answer(), "number") == [1, 3]
    told = query.metrics()
    assert (told["tuples_out"], told["failed"]) == (2, 1)
    (failure,) = told["failures"]
    assert (failure["stream"], failure["input"]) == ("Said", '{"word":"two"}')
    assert "Could not convert string 'two' to INT32" in failure["reason"]


def test_a_union_goes_on_without_a_stream_that_is_silent(connect: Connect, wall: HandMovedWall) -> None:
    db = connect(idle_timeout="30 seconds")
    db.execute(f"{BID}; CREATE STREAM Ask (item INT, seen TIMESTAMP) ORDER BY seen HEARTBEAT 5 SECONDS")
    query = db.query("SELECT item FROM Bid UNION ALL SELECT item FROM Ask")
    pushed(db, 1)
    assert query.answer().num_rows == 0
    wall.move(5 * SECOND)
    db.run_until_idle()
    assert column(query.answer()) == [1]
    db.push("Ask", [(2, 10 * SECOND)])
    wall.move(30 * SECOND)
    db.run_until_idle()
    assert (column(query.answer()), query.clock) == ([1, 2], 10 * SECOND)


# Coming back


def test_what_ran_under_a_checkpoint_goes_on(connect: Connect, tmp_path: Path) -> None:
    script = f"{BID}; CREATE STREAM Dear AS {DEAR}"
    with connect(checkpoint=tmp_path) as db:
        db.execute(script)
        db.query("SELECT item FROM Dear", name="dear")
        pushed(db, 1)
    with connect(checkpoint=tmp_path) as db:
        assert list(db.queries) == ["dear"]
        assert db.unclaimed() == ("SELECT item FROM Dear",)
        db.execute(script)
        query = db.query("SELECT item FROM Dear")
        assert (query.name, db.unclaimed()) == ("dear", ())
        pushed(db, 2, at=1)
        assert column(query.changes()) == [2]
        assert db.query("SELECT item FROM Dear").name == "q1"


def test_a_checkpoint_of_another_script_is_refused(connect: Connect, tmp_path: Path) -> None:
    with connect(checkpoint=tmp_path) as db:
        db.execute(BID)
    with connect(checkpoint=tmp_path) as db:
        with pytest.raises(CheckpointError) as refused:
            db.execute("CREATE STREAM Bid (item INT)")
        assert refused.value.message == f"the checkpoint is of another script: there Bid is\n{BID}"
        assert refused.value.hint == "name another checkpoint, or drop it there first"
        db.execute("DROP STREAM Bid; CREATE STREAM Bid (item INT)")
        assert db.push("Bid", [(1,)]) == 1


def test_declaring_twice_in_one_life_is_refused(connect: Connect, tmp_path: Path) -> None:
    with connect(checkpoint=tmp_path) as db:
        db.execute(BID)
    with connect(checkpoint=tmp_path) as db:
        db.execute(BID)
        with pytest.raises(Refused, match="there is a stream Bid already"):
            db.execute(BID)


def test_what_was_restored_can_be_dropped_and_made_again(connect: Connect, tmp_path: Path) -> None:
    with connect(checkpoint=tmp_path) as db:
        db.execute(BID)
        db.query(DEAR)
        pushed(db, 1)
    with connect(checkpoint=tmp_path) as db:
        db.execute("DROP QUERY q1; DROP STREAM Bid")
        assert db.unclaimed() == ()
        db.execute(BID)
        query = db.query(DEAR)
        pushed(db, 2)
        assert column(query.answer()) == [2]
        assert db.metrics().streams[0].accepted == 1


def test_a_function_is_asked_for_again_after_a_restart(connect: Connect, tmp_path: Path) -> None:
    given: list[int] = []
    with connect(checkpoint=tmp_path) as db:
        db.execute(BID)
        db.query(DEAR, into=lambda _batch, changes: given.extend(column(changes)))
        pushed(db, 1)
    with connect(checkpoint=tmp_path) as db:
        db.push("Bid", [(2, 50.0, SECOND)])
        with pytest.raises(SinkError) as refused:
            db.run_until_idle()
        assert "sends its changes to a Python function that is not there" in str(refused.value)
        db.query(DEAR, into=lambda _batch, changes: given.extend(column(changes)))
        db.run_until_idle()
    assert given == [1, 2]


def test_the_runner_is_the_checkpoints_for_good(connect: Connect, tmp_path: Path) -> None:
    connect(checkpoint=tmp_path).close()
    (tmp_path / "runner").write_text("spark\n")
    with pytest.raises(CheckpointError) as refused:
        connect(checkpoint=tmp_path)
    assert refused.value.message == f"the checkpoint {tmp_path} is of the spark runner"


def test_a_checkpoint_that_cannot_be_opened_is_let_go(connect: Connect, tmp_path: Path) -> None:
    with connect(checkpoint=tmp_path) as db:
        db.execute(BID)
    (program,) = (tmp_path / "programs").glob("*.json")
    whole = program.read_text()
    program.write_text(whole.replace("seen TIMESTAMP", "seen INT"))
    with pytest.raises(Refused):
        connect(checkpoint=tmp_path)
    program.write_text(whole)
    with connect(checkpoint=tmp_path) as db:
        assert db.push("Bid", [(1, 2.0, 3)]) == 1


# Running and opening


def test_figures_tell_of_arrivals_and_batches(bids: windrow.Database, wall: HandMovedWall) -> None:
    bids.query(DEAR)
    bids.push("Bid", [(1, 50.0, 1), (2, 5.0, 2)])
    wall.move(250_000)
    waiting = bids.metrics()
    assert (waiting.lag, waiting.lag_seconds, waiting.delay_p50) == (2, 0.25, None)
    bids.run_until_idle()
    told = bids.metrics()
    assert (told.tuples_in, told.tuples_out, told.batches) == (2, 1, 1)
    assert (told.lag, told.lag_seconds) == (0, 0.0)
    assert (told.delay_p50, told.delay_p99) == (0.25, 0.25)
    assert tuple(told.last_batch) == PHASES


def test_running_for_a_time_tells_its_progress_and_ends(bids: windrow.Database) -> None:
    seen: list[Metrics] = []
    query = bids.query(DEAR)
    bids.push("Bid", [(1, 50.0, 1)])
    bids.run(seconds=0.25, progress=seen.append)
    assert column(query.answer()) == [1]
    assert seen[-1].tuples_out == 1


def test_a_finite_source_is_read_to_its_end(db: windrow.Database) -> None:
    db.execute("CREATE STREAM Tick (value BIGINT, moment TIMESTAMP) SOURCE 'rate://1000000?limit=5000'")
    query = db.query("SELECT value FROM Tick")
    db.run_until_idle()
    assert query.answer().num_rows == 5000


def test_a_port_that_is_taken_is_told_and_can_be_tried_again(db: windrow.Database) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        db.execute(f"CREATE STREAM Net (item INT) SOURCE 'tcp://127.0.0.1:{port}'")
        db.query("SELECT item FROM Net")
        with pytest.raises(SourceError, match=r"in use|taken"):
            db.run_until_idle()
    db.run(seconds=0.05)


def test_a_closed_database_does_nothing_more(connect: Connect, tmp_path: Path) -> None:
    db = connect(checkpoint=tmp_path)
    db.execute(BID)
    query = db.query(DEAR)
    pushed(db, 1)
    db.close()
    db.close()
    for action in (
        lambda: db.push("Bid", [(1, 2.0, 3)]),
        lambda: db.execute("CREATE STREAM Other (item INT)"),
        lambda: db.query(DEAR),
        db.run_until_idle,
        query.stop,
    ):
        with pytest.raises(windrow.Error) as refused:
            action()
        assert refused.value.message == "the database is closed"
    assert (column(query.answer()), db.metrics().tuples_out) == ([1], 1)


def test_settings_are_given_when_connecting(connect: Connect) -> None:
    assert connect(batch_rows=7).settings.number("batch_rows") == 7


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"runner": "fast"}, "there is no runner 'fast'", "runners are: spark, inline"),
        ({"batchrows": 5}, "there is no setting 'batchrows'", "did you mean batch_rows?"),
        ({"batch_rows": "many"}, "batch_rows: 'many' is not a whole number from 1", None),
    ],
)
def test_what_cannot_be_set_is_told(
    connect: Connect, options: dict[str, Any], message: str, hint: str | None
) -> None:
    with pytest.raises(SettingError) as refused:
        connect(**options)
    assert refused.value.message == message
    assert hint is None or refused.value.hint == hint


def test_the_wall_clock_stamps_what_brings_no_timestamp(db: windrow.Database, wall: HandMovedWall) -> None:
    db.execute('CREATE STREAM Ping (item INT, "current_time" TIMESTAMP) ORDER BY "current_time"')
    query = db.query("SELECT * FROM Ping")
    db.push("Ping", [(1,), (2,)])
    wall.move(-5 * SECOND)
    db.push("Ping", [(3,)])
    db.run_until_idle()
    stamps = query.answer()["current_time"].cast(pa.int64()).to_pylist()
    assert stamps == [NOON, NOON + 1, NOON + 2]


def test_plans_are_explained(bids: windrow.Database) -> None:
    text = bids.explain(DEAR)
    assert re.search(r"Scan Bid +MON", text)
    assert bids.query(DEAR).explain() == text
    assert bids.explain(DEAR, "json").startswith("{")
    assert bids.explain(DEAR, "dot").startswith("digraph")
