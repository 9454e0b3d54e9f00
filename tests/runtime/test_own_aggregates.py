"""Aggregates of the user's own under every kind of window, from SQL to results, stopped and started on the
way, against an evaluation of each window from scratch."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from statistics import fmean, median, pvariance

import pytest

import windrow
from tests.conftest import Connect
from windrow import library

Tuple = tuple[int, int, float | None, datetime]
Rows = list[Tuple]
Values = Sequence[float]

STREAM = "CREATE STREAM S (n INT, k INT, x DOUBLE, t TIMESTAMP) ORDER BY t"
NOON = datetime(2026, 1, 1, 12)
LARGEST = "LANGUAGE PYTHON AS 'tests.aggregates.user_defined.samples:Largest'"
MEDIAN = "LANGUAGE PYTHON AS 'windrow.library.medians:Median'"
OTHERS = f"""
CREATE AGGREGATE largest(x DOUBLE) : DOUBLE {LARGEST};
CREATE AGGREGATE middle(x DOUBLE) : DOUBLE {MEDIAN};
CREATE WINDOW AGGREGATE middle(x DOUBLE) : DOUBLE {MEDIAN};
CREATE ALGEBRAIC AGGREGATE total(x DOUBLE) : DOUBLE {{
    TABLE t(s DOUBLE);
    INITIALIZE: {{ INSERT INTO t VALUES (x) }}
    ITERATE: {{ UPDATE t SET s = s + x }}
    TERMINATE: {{ INSERT INTO RETURN SELECT s FROM t }}
}}
CREATE AGGREGATE span(x DOUBLE) : DOUBLE {{
    TABLE t(low DOUBLE, high DOUBLE);
    INITIALIZE: {{ INSERT INTO t VALUES (x, x) }}
    ITERATE: {{ UPDATE t SET low = least(low, x), high = greatest(high, x) }}
    TERMINATE: {{ INSERT INTO RETURN SELECT high - low FROM t }}
}}
"""
AGGREGATES: dict[str, Callable[[Values], float]] = {
    "mean": fmean,
    "variance_of": pvariance,
    "total": sum,
    "span": lambda values: max(values) - min(values),
    "middle": median,
    "largest": lambda values: sum(sorted(values)[-2:]),
}
"""With a base version or both; in ESL and in Python; with panes and without."""
FRAMES = {
    "ROWS 5 PRECEDING": (6, 1),
    "ROWS 7 PRECEDING SLIDE 4": (8, 4),
    "ROWS 1 PRECEDING SLIDE 5": (2, 5),
    "ROWS UNBOUNDED PRECEDING": (1000, 1),
}
TIMES = {"RANGE 5 SECONDS PRECEDING": 5, "RANGE UNBOUNDED PRECEDING": 1000}
WINDOWS: dict[str, Callable[[Rows], Rows]] = {
    "[RANGE 20 SECONDS]": lambda rows: [
        each for each in rows if each[3] > rows[-1][3] - timedelta(seconds=20)
    ],
    "[ROWS 10]": lambda rows: rows[-10:],
    "[PARTITION BY k ROWS 4]": lambda rows: [each for k in (1, 2) for each in of_group(rows, k)[-4:]],
    "[RANGE 20 SECONDS SLIDE 10 SECONDS]": lambda rows: sliding(rows, 20, 10),
}


def of_group(rows: Rows, k: int) -> Rows:
    return [each for each in rows if each[1] == k]


def sliding(rows: Rows, size: int, slide: int) -> Rows:
    end = int((rows[-1][3] - NOON).total_seconds()) // slide * slide
    return [each for each in rows if end - size < (each[3] - NOON).total_seconds() <= end]


def tuples(seed: int, count: int) -> Rows:
    chance, second, found = Random(seed), 0, []
    for n in range(count):
        second += chance.choice([0, 0, 1, 1, 2, 9])
        found.append((n, chance.choice([1, 2]), chance.uniform(-9, 9), NOON + timedelta(seconds=second)))
    return found


def queries(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The name of each query, and its text."""
    for name in names:
        for frame in (*FRAMES, *TIMES):
            yield f"{name} {frame}", f"SELECT n, {name}(x) OVER (PARTITION BY k {frame}) AS v FROM S"
        for window in WINDOWS:
            yield f"{name} {window}", f"SELECT k, {name}(x) AS v FROM S {window} GROUP BY k"


def expected(name: str, window: str, rows: Rows) -> dict[int, float]:
    """What each tuple's frame, or each group of the last window, comes to."""
    compute = AGGREGATES[name]
    if window in WINDOWS:
        live = WINDOWS[window](rows)
        return {k: compute([each[2] for each in of_group(live, k)]) for k in {each[1] for each in live}}  # type: ignore[misc]
    found = {}
    for k in (1, 2):
        own = of_group(rows, k)
        for place, last in enumerate(own):
            if window in TIMES:
                since = last[3] - timedelta(seconds=TIMES[window])
                frame = [each for each in own if since <= each[3] <= last[3]]
            else:
                size, slide = FRAMES[window]
                if (place + 1) % slide:
                    continue
                frame = own[max(0, place - size + 1) : place + 1]
            found[last[0]] = compute([each[2] for each in frame])  # type: ignore[misc]
    return found


def opened(db: windrow.Database, names: Iterable[str]) -> dict[str, windrow.Query]:
    db.execute(STREAM)
    for name in ("averages", "statistics"):
        db.execute(library.text(name))
    db.execute(OTHERS)
    return {name: db.query(text) for name, text in queries(names)}


def check(said: dict[str, dict[int, float]], rows: Rows) -> None:
    for title, answers in said.items():
        name, _, window = title.partition(" ")
        assert answers == pytest.approx(expected(name, window, rows), abs=1e-9), title


def read(query: windrow.Query, key: str) -> dict[int, float]:
    return {row[key]: row["v"] for row in query.answer().to_pylist()}


def check_restarts(open_one: Callable[[], windrow.Database], names: Sequence[str]) -> None:
    """Fail unless what queries say, over a restart, is what each window comes to from scratch."""
    rows, said = tuples(3, 80), {name: dict[int, float]() for name, _ in queries(names)}
    for start in range(0, 80, 40):
        with open_one() as db:
            running = opened(db, names)
            for first in range(start, start + 40, 13):
                db.push("S", rows[first : min(first + 13, start + 40)])
                db.run_until_idle()
            db.advance("S", rows[start + 39][3] + timedelta(microseconds=1 if start else 0))
            db.run_until_idle()
            for name, query in running.items():
                by = "k" if "[" in name else "n"
                said[name] = read(query, by) if by == "k" else said[name] | read(query, by)
                assert not query.metrics()["failures"], name
    check(said, rows)


@pytest.mark.parametrize(
    "names",
    [("mean", "largest"), pytest.param(tuple(AGGREGATES), marks=pytest.mark.slow)],
    ids=["few", "all"],
)
def test_every_window_is_as_from_scratch(connect: Connect, tmp_path: Path, names: Sequence[str]) -> None:
    check_restarts(lambda: connect(tmp_path), names)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_window_is_as_from_scratch_on_spark(tmp_path: Path) -> None:
    names = ("mean", "middle", "largest")
    check_restarts(lambda: windrow.connect(master="local[2]", checkpoint=tmp_path, driver_rows=0), names)


@pytest.mark.parametrize(("name", "has_panes"), [("total", True), ("largest", True), ("span", False)])
def test_panes_keep_no_tuples(db: windrow.Database, name: str, has_panes: bool) -> None:
    db.execute(STREAM)
    db.execute(OTHERS)
    query = db.query(f"SELECT n, {name}(x) OVER (ROWS 399 PRECEDING SLIDE 100) AS v FROM S")
    rows = tuples(5, 750)
    db.push("S", rows)
    db.run_until_idle()
    assert (sum(step["rows"] for step in query.metrics()["steps"]) < 50) is has_panes
    assert read(query, "n") == {
        n: pytest.approx(AGGREGATES[name]([each[2] for each in rows[max(0, n - 399) : n + 1]]))
        for n in range(99, 750, 100)
    }


UNLUCKY = "LANGUAGE PYTHON AS 'tests.aggregates.user_defined.samples:Unlucky'"
RAISING = {
    "base": "SELECT k, last_of(n) AS v FROM S [RANGE 1 HOUR] GROUP BY k",
    "window": "SELECT k, moving(n) AS v FROM S [RANGE 1 HOUR] GROUP BY k",
    "over": "SELECT k, moving(n) OVER (ROWS 2 PRECEDING) AS v FROM S",
    "so far": "SELECT k, last_of(n) OVER (ROWS UNBOUNDED PRECEDING) AS v FROM S",
}


@pytest.mark.parametrize("kind", RAISING)
def test_python_that_raises_stops_its_query_and_names_the_tuple(
    connect: Connect, tmp_path: Path, kind: str
) -> None:
    name = "moving" if "moving" in RAISING[kind] else "last_of"
    for start in (0, 20):
        db = connect(tmp_path)
        db.execute(STREAM)
        for each, window in (("last_of", ""), ("moving", ""), ("moving", "WINDOW")):
            db.execute(f"CREATE {window} AGGREGATE {each}(n INT) : INT {UNLUCKY}")
        query, other = (
            db.query(RAISING[kind]),
            db.query("SELECT k, count(*) AS c FROM S [RANGE 1 HOUR] GROUP BY k"),
        )
        for n in range(start, start + 20, 5):
            db.push(
                "S", [(each, each % 2, None, NOON + timedelta(seconds=each)) for each in range(n, n + 5)]
            )
            db.run_until_idle()
        told = query.metrics()["failures"]
        if start:
            assert not told
        else:
            (failure,) = told
            assert (
                failure["reason"] == f"{name} is stopped: iterate(13) raised ValueError: 13 brings bad luck"
            )
            assert json.loads(failure["input"])["n"] == 13
        assert not start or not len(query.changes())
        assert other.answer()["c"].to_pylist() == [start // 2 + 10] * 2
        db.close()
