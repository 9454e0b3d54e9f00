"""The worked examples of the nile text, its figures 1 to 6 and its appendix: one step of time a tick."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import windrow
from tests.conftest import Connect
from windrow.cli.opening import Options
from windrow.cli.test import run_script
from windrow.errors import SettingError
from windrow.plan.expiration import Expiration

NOON = datetime(2026, 1, 1, 12)
FAVOURITES = "Favourites [RANGE 1 DAY]"
SALES = "CREATE STREAM Sales (item INT, at TIMESTAMP) ORDER BY at"
FAVOURITE_SALES = f"""
    SELECT count(*) AS n FROM Sales [RANGE 5 SECONDS] AS s JOIN {FAVOURITES} AS f ON s.item = f.item
"""
SOLD = [4, 5, 5, 6, 4, 2, 3, 1, 6, 5, 4, 5]
"""An item a tick; 4, 5 and 6 are favourites."""

#      tick   0  1  2  3  4  5  6  7  8  9 10 11
CORRECT = [1, 2, 3, 4, 5, 4, 3, 2, 2, 2, 3, 4]
TRIGGERED = [1, 2, 3, 4, 5, 5, 5, 5, 2, 2, 3, 4]
"""Ticks 5 to 7 bring nothing that passes the join, so the count above it does not learn that tuples of the
ticks 0 to 2 have left."""


def tick(number: float) -> datetime:
    return NOON + timedelta(seconds=number)


@pytest.fixture
def favourites(connect: Connect) -> Callable[..., tuple[windrow.Database, windrow.Query]]:
    """A query of the figures under a strategy, on streams that know how far they are."""

    def ask(how: Expiration, **settings: object) -> tuple[windrow.Database, windrow.Query]:
        db = connect(execution="queued", expiration=how.value, **settings)
        db.execute(f"{SALES}; CREATE STREAM Favourites (item INT, at TIMESTAMP) ORDER BY at")
        db.push("Favourites", [(item, tick(-1)) for item in (4, 5, 6)])
        db.advance("Favourites", tick(3600))
        return db, db.query(FAVOURITE_SALES)

    return ask


def sold(db: windrow.Database, query: windrow.Query) -> list[int]:
    """The count after each tick."""
    counts = []
    for number, item in enumerate(SOLD):
        db.push("Sales", [(item, tick(number))])
        db.run_until_idle()
        (row,) = query.answer().to_pylist()
        counts.append(row["n"])
    return counts


def step(query: windrow.Query, label: str) -> dict[str, Any]:
    """The figures of the last step of a kind."""
    return [each for each in query.metrics()["steps"] if each["step"].endswith(label)][-1]


@pytest.mark.parametrize("how", Expiration, ids=lambda how: how.value)
def test_figures_1_and_2_a_count_waits_for_tuples_that_pass_the_join(
    favourites: Any, how: Expiration
) -> None:
    db, query = favourites(how)
    triggered = how is Expiration.INPUT_TRIGGERED
    assert sold(db, query) == (TRIGGERED if triggered else CORRECT)
    longest = query.metrics()["delay"]["max"]
    assert longest > 3 if triggered else longest < 0.01


@pytest.mark.parametrize("how", Expiration, ids=lambda how: how.value)
@pytest.mark.parametrize("kind", ["TABLE", "NRR"])
def test_favourites_may_be_a_table(connect: Connect, kind: str, how: Expiration) -> None:
    """A join with a table tells ends by negative tuples, for nobody can foresee them."""
    db = connect(execution="queued", expiration=how.value)
    db.execute(f"{SALES}; CREATE {kind} Favourites (item INT); INSERT INTO Favourites VALUES (4), (5), (6)")
    query = db.query("SELECT count(*) AS n FROM Sales [RANGE 5 SECONDS] AS s JOIN Favourites USING (item)")
    late = kind == "NRR" and how is Expiration.INPUT_TRIGGERED
    assert sold(db, query) == (TRIGGERED if late else CORRECT)
    db.execute("DELETE FROM Favourites WHERE item = 5")
    db.advance("Sales", tick(11.5))
    db.run_until_idle()
    assert query.answer().to_pylist() == [{"n": 4 if kind == "NRR" else 2}]


def test_a_heartbeat_tells_everybody_the_time(favourites: Any) -> None:
    db, query = favourites(Expiration.INPUT_TRIGGERED)
    db.push("Sales", [(item, tick(number)) for number, item in enumerate(SOLD[:7])])
    db.run_until_idle()
    assert (query.answer().to_pylist(), query.clock) == ([{"n": 5}], _microseconds(4))
    db.advance("Sales", tick(6.5))
    db.run_until_idle()
    assert (query.answer().to_pylist(), query.clock) == ([{"n": 3}], _microseconds(6.5))


@pytest.mark.parametrize("how", Expiration, ids=lambda how: how.value)
def test_figure_3_an_intersection_puts_another_in_the_place_of_what_ends(
    connect: Connect, how: Expiration
) -> None:
    """S     1     1        5      The 1 of tick 1 ends at tick 6, when the 5 comes; that of tick 3 is
    R  1           .  1            there still, and has a partner.
    """
    db = connect(execution="queued", expiration=how.value)
    db.execute("".join(f"CREATE STREAM {name} (v INT, at TIMESTAMP) ORDER BY at;" for name in "SR"))
    query = db.query("SELECT v FROM S [RANGE 5 SECONDS] INTERSECT SELECT v FROM R [RANGE 5 SECONDS]")
    db.push("R", [(1, tick(0)), (1, tick(4))])
    db.advance("R", tick(6))
    db.push("S", [(1, tick(1)), (1, tick(3)), (5, tick(6))])
    db.run_until_idle()
    assert query.answer().to_pylist() == [{"v": 1}]
    assert query.changes()["op"].to_pylist() == ["+I"]


STORES = """
    CREATE STREAM S1 (store INT, price INT, at TIMESTAMP) ORDER BY at;
    CREATE STREAM S2 (store INT, price INT, at TIMESTAMP) ORDER BY at;
"""
DEAREST = """
    SELECT max(b.price) AS dearest
    FROM S1 [RANGE 5 SECONDS] AS a JOIN S2 [RANGE 5 SECONDS] AS b ON a.store = b.store
"""


@pytest.mark.parametrize(
    ("how", "negative", "messages", "probes"),
    [(Expiration.NEGATIVE, 3, 0, 3 + 3), (Expiration.TIME_MESSAGE, 0, 1, 3 + 4)],
    ids=["negative", "time_message"],
)
def test_figures_4_and_5_one_message_stands_for_three_negative_tuples(
    connect: Connect, how: Expiration, negative: int, messages: int, probes: int
) -> None:
    """S1  6+                   6-        The tuple of S1 ends first, so with it all three results do, and
    S2      6+  6+  6+          6- 6- 6-  when those of S2 end nothing more happens.

    The join looks at three pairs, and once more when negative tuples come; or else at its four tuples, as
    they end.
    """
    db = connect(execution="queued", expiration=how.value)
    db.execute(STORES)
    query = db.query(DEAREST)
    db.push("S1", [(6, 0, tick(1))])
    db.push("S2", [(6, price, tick(number)) for number, price in ((2, 30), (3, 50), (4, 40))])
    for number, dearest in ((4, 50), (6, None), (10, None)):
        db.advance("S1", tick(number))
        db.advance("S2", tick(number))
        db.run_until_idle()
        assert query.answer().to_pylist() == [{"dearest": dearest}]
    join = step(query, "Join")
    assert (join["positive"], join["negative"], join["messages"]) == (3, negative, messages)
    assert join["probes"] == probes


def test_figure_6_a_message_that_nobody_has_read_gives_way_to_a_tuple(favourites: Any) -> None:
    """At tick 11 a favourite ends as another comes; at ticks 5 to 7 they only end."""
    told = {}
    for how in (Expiration.TIME_MESSAGE, Expiration.PIGGYBACK):
        db, query = favourites(how)
        assert sold(db, query) == CORRECT
        told[how] = step(query, "Join")["messages"]
    assert told[Expiration.PIGGYBACK] < told[Expiration.TIME_MESSAGE]
    assert told[Expiration.PIGGYBACK] >= 3


def test_appendix_a_step_goes_by_the_clock_that_reaches_it(connect: Connect) -> None:
    """Tuples take three ticks to the SUM. It must not drop the tuple of tick 0 at tick 5, when that of
    tick 4 is still on its way."""
    db = connect(execution="queued", expiration="upa", queue_cost="1500 ms", queue_slice="1500 ms")
    db.execute("CREATE STREAM S (value INT, at TIMESTAMP) ORDER BY at")
    query = db.query("SELECT sum(value) AS total FROM S [RANGE 5 SECONDS]")
    db.push("S", [(5, tick(0)), (3, tick(2)), (7, tick(4)), (0, tick(6))])
    db.run_until_idle()
    totals = [change["total"] for change in query.changes().to_pylist() if change["op"] in ("+I", "+U")]
    assert totals == [None, 5, 8, 15, 10]
    assert query.metrics()["delay"]["max"] >= 3


@pytest.mark.parametrize(
    "how", [Expiration.PIGGYBACK, Expiration.INPUT_TRIGGERED], ids=lambda how: how.value
)
def test_queues_go_on_after_a_restart(connect: Connect, tmp_path: Path, how: Expiration) -> None:
    counts = []
    for number, item in enumerate(SOLD):
        with connect(tmp_path, execution="queued", expiration=how.value) as db:
            db.execute(f"{SALES}; CREATE NRR Favourites (item INT)")
            if not number:
                db.execute("INSERT INTO Favourites VALUES (4), (5), (6)")
            query = db.query(
                "SELECT count(*) AS n FROM Sales [RANGE 5 SECONDS] JOIN Favourites USING (item)"
            )
            db.push("Sales", [(item, tick(number))])
            db.run_until_idle()
            counts += [row["n"] for row in query.changes().to_pylist() if row["op"] in ("+I", "+U")]
    assert counts == [0, 1, 2, 3, 4, 5, 4, 3, 2, 3, 4]


def test_the_script_holds() -> None:
    script = Path(__file__).with_name("expiration.esl").read_text(encoding="utf-8")
    assert run_script(script, Options(runner="inline")) > 0


def test_queues_are_for_one_process() -> None:
    with windrow.connect(execution="queued") as db:
        db.execute(SALES)
        with pytest.raises(SettingError, match="one process") as refused:
            db.query("SELECT item FROM Sales")
    assert "inline runner" in str(refused.value)


def _microseconds(number: float) -> int:
    return int((tick(number) - datetime(1970, 1, 1)).total_seconds() * 1_000_000)
