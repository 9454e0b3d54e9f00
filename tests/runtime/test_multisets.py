"""Random DISTINCT and set operations over windows, from SQL to answers, against DuckDB over the tuples that
live at the clock."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from random import Random

import duckdb
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import windrow
from tests.conftest import HandMovedWall

NOON = datetime(2026, 1, 1, 12)
STREAMS = {"S": ("a", "b"), "T": ("x", "y")}
DECLARED = """
    CREATE STREAM S (a INT, b VARCHAR, t TIMESTAMP) ORDER BY t;
    CREATE STREAM T (x BIGINT, y VARCHAR, t TIMESTAMP) ORDER BY t
"""
WINDOWS = {
    "[RANGE 4 SECONDS]": "t > $now - INTERVAL 4 SECONDS",
    "[RANGE 9 SECONDS]": "t > $now - INTERVAL 9 SECONDS",
    "[RANGE 6 SECONDS SLIDE 3 SECONDS]": "t <= $slot AND t > $slot - INTERVAL 6 SECONDS",
    "[ROWS 3]": "number > total - 3",
}
"""And what they hold, in SQL."""
STRATEGIES = ("upa", "upa", "negative", "direct")
Row = tuple[int | None, str | None, datetime]


class RandomQuery:
    """Grows a query for windrow and the same for DuckDB, from one source of chance."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def grown(self, depth: int) -> tuple[str, str]:
        if depth == 0:
            return self._select()
        kind = self._chance.choice(["UNION", "INTERSECT", "EXCEPT"])
        word = f"{kind}{self._chance.choice(['', ' ALL'])}"
        left, right = self.grown(depth - 1), self.grown(self._chance.randint(0, depth - 1))
        if self._chance.random() < 0.5:
            right = f"({right[0]})", f"({right[1]})"
        return f"{left[0]} {word} {right[0]}", f"{left[1]} {word} {right[1]}"

    def whole(self) -> tuple[str, str]:
        asked, told = self.grown(self._chance.choice([0, 1, 1, 2]))
        if self._chance.random() < 0.3:
            return (
                f"SELECT DISTINCT k FROM ({asked}) AS q(k, v)",
                f"SELECT DISTINCT k FROM ({told}) AS q(k, v)",
            )
        return asked, told

    def _select(self) -> tuple[str, str]:
        stream, window = self._chance.choice(list(STREAMS)), self._chance.choice(list(WINDOWS))
        listed = f"SELECT {self._chance.choice(['', 'DISTINCT '])}{', '.join(STREAMS[stream])}"
        where = self._chance.choice(["", f" WHERE {STREAMS[stream][0]} > 0"])
        inside = f"(FROM {stream} WHERE {WINDOWS[window]})"
        return f"{listed} FROM {stream} {window}{where}", f"{listed} FROM {inside}{where}"


def rows(chance: Random, begin: int, end: int) -> list[Row]:
    count = chance.randint(0, 5)
    seconds = sorted(chance.randint(begin + 1, end) for _ in range(count))
    return [
        (chance.choice([None, 0, 1, 1, 2]), chance.choice([None, "u"]), NOON + timedelta(seconds=second))
        for second in seconds
    ]


def answered(sql: str, seen: dict[str, list[Row]], now: datetime) -> Counter[tuple[object, ...]]:
    with duckdb.connect() as engine:
        for stream, (k, v) in STREAMS.items():
            engine.execute(
                f"CREATE TABLE all_{stream} ({k} BIGINT, {v} VARCHAR, t TIMESTAMP, number BIGINT)"
            )
            told = [(*row, number) for number, row in enumerate(seen[stream], 1)]
            if told:
                engine.executemany(f"INSERT INTO all_{stream} VALUES (?, ?, ?, ?)", told)
            engine.execute(f"CREATE VIEW {stream} AS SELECT *, count(*) OVER () AS total FROM all_{stream}")
        slot = now - timedelta(seconds=(now.minute * 60 + now.second) % 3)
        for name, moment in (("$now", now), ("$slot", slot)):
            sql = sql.replace(name, f"TIMESTAMP '{moment}'")
        return Counter(engine.execute(sql).fetchall())


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_answers_are_those_of_sql_over_the_live_tuples(chance: Random) -> None:
    with windrow.connect(runner="inline", wall_clock=HandMovedWall()) as db:
        db.execute(f"{DECLARED}; SET expiration = {chance.choice(STRATEGIES)}")
        asked = [RandomQuery(chance).whole() for _ in range(3)]
        queries = [db.query(sql) for sql, _ in asked]
        seen: dict[str, list[Row]] = {name: [] for name in STREAMS}
        clock = 0
        for _ in range(4):
            before, clock = clock, clock + chance.choice([1, 2, 5, 12])
            for name, known in seen.items():
                arrived = rows(chance, before, clock)
                known += arrived
                db.push(name, arrived)
                db.advance(name, NOON + timedelta(seconds=clock))
            db.run_until_idle()
            for (sql, wanted), query in zip(asked, queries, strict=True):
                got = Counter(tuple(row.values()) for row in query.answer().to_pylist())
                assert got == answered(wanted, seen, NOON + timedelta(seconds=clock)), sql
