"""Queries over windows, from SQL to answers, inline."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

import windrow
from tests.conftest import Connect, HandMovedWall
from windrow.plan.expiration import Expiration
from windrow.runtime.phases import PHASES

STREAM = "CREATE STREAM S (k INT, v VARCHAR, t TIMESTAMP) ORDER BY t"
NOON = datetime(2026, 1, 1, 12)
ROWS = [(1, "a", 0), (2, None, 4), (1, "a", 9), (None, "b", 9)]
"""With seconds after noon."""

WINDOWS = {
    "[RANGE 10 SECONDS]": [2, 1, None],
    "[RANGE 10 SECONDS SLIDE 5 SECONDS]": [2, 1, None],
    "[RANGE 5 SECONDS SLIDE 5 SECONDS]": [1, None],
    "[NOW]": [],
    "[UNBOUNDED]": [1, 2, 1, None],
    "[ROWS 2]": [1, None],
    "[ROWS 2 SLIDE 3]": [2, 1],
    "[PARTITION BY k ROWS 1]": [2, 1, None],
}
"""What they hold twelve seconds after noon."""


def at(seconds: int) -> datetime:
    return NOON + timedelta(seconds=seconds)


def feed(db: windrow.Database, until: int) -> None:
    """Twice as many calls as there are tuples, and then time passes."""
    for k, v, second in ROWS:
        db.push("S", [(k, v, at(second))])
        db.run_until_idle()
    db.advance("S", at(until))
    db.run_until_idle()


@pytest.mark.parametrize("how", Expiration, ids=lambda how: how.value)
def test_windows_hold_what_they_should(connect: Connect, how: Expiration) -> None:
    db = connect(expiration=how.value)
    db.execute(STREAM)
    queries = {window: db.query(f"SELECT k FROM S {window}") for window in WINDOWS}
    feed(db, 12)
    held = {window: query.answer()["k"].to_pylist() for window, query in queries.items()}
    assert {window: sorted(ks, key=str) for window, ks in held.items()} == {
        window: sorted(ks, key=str) for window, ks in WINDOWS.items()
    }


def test_tuples_leave_though_nothing_arrives(db: windrow.Database) -> None:
    db.execute(STREAM)
    query = db.query("SELECT v FROM S [RANGE 10 SECONDS] WHERE k = 1")
    feed(db, 30)
    assert [(row["op"], row["ts"], row["v"]) for row in query.changes().to_pylist()] == [
        ("+I", at(0), "a"),
        ("+I", at(9), "a"),
        ("-D", at(10), "a"),
        ("-D", at(19), "a"),
    ]
    assert query.answer().to_pylist() == []


AGGREGATES = {
    "SELECT count(*) AS n FROM S [RANGE 10 SECONDS]": 0,
    "SELECT Istream(sum(k) AS n) FROM S [RANGE 10 SECONDS SLIDE 5 SECONDS]": None,
    "SELECT Rstream(count(v) AS n) FROM S [ROWS 2]": 0,
    "SELECT (SELECT count(*) FROM S [NOW]) + count(*) AS n FROM S [RANGE 10 SECONDS]": 0,
}
"""Of all tuples together, and what they are of none."""


@pytest.mark.parametrize(("sql", "of_nothing"), AGGREGATES.items())
def test_changes_of_an_aggregate_of_all_do_not_depend_on_how_batches_are_cut(
    connect: Connect, sql: str, of_nothing: int | None
) -> None:
    often, at_once = connect(), connect(wall_clock=HandMovedWall())
    queries = []
    for db, run in ((often, often.run_until_idle), (at_once, lambda: None)):
        db.execute(STREAM)
        queries.append(db.query(sql))
        run()
        db.advance("S", at(-5))
        run()
        for k, v, second in ROWS:
            db.push("S", [(k, v, at(second))])
            if second != 9:  # of one instant, batches may also tell what comes between two tuples
                run()
        db.advance("S", at(30))
        db.run_until_idle()
    changes, same = (query.changes() for query in queries)
    assert changes.slice(0, 1).to_pylist() == [{"op": "+I", "ts": None, "n": of_nothing}]
    assert changes == same
    assert queries[0].answer() == queries[1].answer()


def test_windows_are_full_after_a_restart(connect: Connect, tmp_path: Path) -> None:
    asked = ["SELECT k, t FROM S [RANGE 10 SECONDS]", "SELECT k, t FROM S [ROWS 3]"]
    for part in (ROWS[:2], ROWS[2:]):
        db = connect(tmp_path)
        db.execute(STREAM)
        queries = [db.query(sql) for sql in asked]
        db.push("S", [(k, v, at(second)) for k, v, second in part])
        db.advance("S", at(part[-1][-1] + 3))
        db.run_until_idle()
        changes = [query.changes() for query in queries]
        db.close()
    gone = [[row["k"] for row in each.to_pylist() if row["op"] == "-D"] for each in changes]
    assert gone == [[1], [1]]


def test_a_strategy_is_that_of_queries_to_come(db: windrow.Database) -> None:
    db.execute(STREAM)
    db.execute("SET expiration = negative")
    query = db.query("SELECT k FROM S [RANGE 10 SECONDS]")
    db.execute("SET expiration = upa")
    assert "Expire" in query.explain()
    assert "Expire" not in db.explain("SELECT k FROM S [RANGE 10 SECONDS]")


def test_metrics_tell_what_each_step_took(db: windrow.Database) -> None:
    """S  a at 0, b at 4, a at 9   in windows of 10 seconds, joined with itself on v, at 12"""
    db.execute(STREAM)
    db.execute("SET expiration = negative")
    window = "S [RANGE 10 SECONDS]"
    query = db.query(f"SELECT x.k FROM {window} AS x JOIN {window} AS y ON x.v = y.v")
    before = query.metrics()
    assert (before["steps"], before["phases"], before["state"]["rows"]) == ([], {}, 0)
    feed(db, 12)
    told = query.metrics()
    steps = {each["step"].rpartition(".")[2]: each for each in told["steps"]}
    assert (steps["Expire"]["positive"], steps["Expire"]["negative"]) == (4, 1)
    assert (steps["Join"]["positive"], steps["Join"]["negative"], steps["Join"]["probes"]) == (5, 3, 8)
    assert steps["Join"]["rows"] > 0
    assert steps["Join"]["bytes"] > 0
    assert steps["Changes"]["messages"] == 0
    assert told["delay"]["max"] == 2.0  # the end at 10 shows at 12
    assert told["lag"] == {"tuples": 0, "seconds": 0.0}
    assert told["state"]["rows"] == sum(each["rows"] for each in told["steps"])
    assert list(told["phases"]) == [*PHASES, *(each["step"] for each in told["steps"])]
    assert all(each["seconds"] >= told["phases"][each["step"]] > 0 for each in told["steps"])
