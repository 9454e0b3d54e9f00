"""Tuples that are taken back, joined with an NRR by its key while it changes, beside DuckDB.

A tuple meets the row of its key as it is when it comes; DuckDB gets all tuples with what they have met.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from random import Random

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import windrow
from tests.oracle.windows import NOON

SETUP = (
    "CREATE STREAM S (k INT, v INT, t TIMESTAMP) ORDER BY t;CREATE NRR N (id INT PRIMARY KEY, name VARCHAR)"
)
RECENT = "(SELECT * FROM seen WHERE second > now - 3)"
NEWEST = "(SELECT * FROM seen ORDER BY n DESC LIMIT 1)"
LIVE = "(SELECT * FROM seen QUALIFY row_number() OVER (ORDER BY n DESC) <= 3)"
BY_VALUE = "(SELECT * FROM seen QUALIFY row_number() OVER (PARTITION BY v ORDER BY n DESC) <= 2)"
MEANT = {
    "SELECT k, v, name FROM S [ROWS 3], N WHERE k = id AND v > 0": (
        f"SELECT k, v, name FROM {LIVE} WHERE id IS NOT NULL AND v > 0"
    ),
    "SELECT v, name FROM S [ROWS 3] JOIN N ON k = id AND length(name) > v": (
        f"SELECT v, name FROM {LIVE} WHERE length(name) > v"
    ),
    "SELECT k, name FROM S [ROWS 3] LEFT JOIN N ON k = id": f"SELECT k, name FROM {LIVE}",
    "SELECT k, v FROM S [PARTITION BY v ROWS 2] WHERE k IN (SELECT id FROM N WHERE name <> 'a')": (
        f"SELECT k, v FROM {BY_VALUE} WHERE name <> 'a'"
    ),
    "SELECT k, v FROM S [ROWS 3] WHERE NOT EXISTS (SELECT 1 FROM N WHERE id = k AND length(name) > v)": (
        f"SELECT k, v FROM {LIVE} WHERE NOT coalesce(length(name) > v, false)"
    ),
    "SELECT x.v, name, count(*) AS c FROM (SELECT v, k AS id FROM S [PARTITION BY v ROWS 2] WHERE v < 2)"
    " AS x JOIN N USING (id) GROUP BY ALL": (
        f"SELECT v, name, count(*) FROM {BY_VALUE} WHERE v < 2 AND id IS NOT NULL GROUP BY ALL"
    ),
    "SELECT x.k, name FROM (FROM S [RANGE 3 SECONDS] WHERE v NOT IN (SELECT v FROM S [ROWS 1] AS o))"
    " AS x JOIN N ON x.k = id AND name > 'a'": (
        f"SELECT k, name FROM {RECENT} WHERE v NOT IN (SELECT v FROM {NEWEST}) AND name > 'a'"
    ),
    "SELECT S.k, o.k AS other, name FROM S [RANGE 3 SECONDS] LEFT JOIN S [ROWS 1] AS o ON S.v = o.v"
    " LEFT JOIN N ON S.k = id": (
        f"SELECT x.k, y.k, x.name FROM {RECENT} AS x LEFT JOIN {NEWEST} AS y USING (v)"
    ),
    "SELECT S.k, o.k AS other, name FROM S [ROWS 1] AS o RIGHT JOIN S [ROWS 3] ON S.v = o.v, N"
    " WHERE S.k = id": (
        f"SELECT x.k, y.k, x.name FROM {LIVE} AS x LEFT JOIN {NEWEST} AS y USING (v) WHERE x.id IS NOT NULL"
    ),
    "SELECT v FROM (SELECT * FROM S [ROWS 3] WHERE EXISTS (SELECT 1 FROM S [ROWS 1] AS o WHERE o.v = S.v))"
    " AS x WHERE NOT EXISTS (SELECT 1 FROM N WHERE id = x.k)": (
        f"SELECT v FROM {LIVE} WHERE v IN (SELECT v FROM {NEWEST}) AND id IS NULL"
    ),
    "SELECT S.k, name, o.k AS other FROM S [ROWS 3], S [ROWS 3] AS o, N WHERE S.v = o.v AND S.k = id": (
        f"SELECT x.k, x.name, y.k FROM {LIVE} AS x JOIN {LIVE} AS y USING (v) WHERE x.id IS NOT NULL"
    ),
}


def check(chance: Random, **options: object) -> None:
    rows: dict[int, str] = {}
    seen: list[tuple[object, ...]] = []
    with windrow.connect(batch_rows=chance.choice([1, 1_000_000]), **options) as db:  # type: ignore[arg-type]
        db.execute(SETUP)
        asked = {text: db.query(text) for text in chance.sample([*MEANT], 3)}
        second = 0
        for _ in range(6):
            for _ in range(chance.randint(0, 3)):
                _change(chance, db, rows)
            second += 1
            come = []
            for _ in range(chance.randint(1, 4)):
                k, v = chance.choice([None, 1, 2, 3]), chance.choice([0, 0, 1, 2])
                second += chance.choice([0, 0, 1])
                come.append((k, v, NOON + timedelta(seconds=second)))
                seen.append((k, v, len(seen), k if k in rows else None, rows.get(k), second))
            db.push("S", come)
            db.advance("S", NOON + timedelta(seconds=second))
            db.run_until_idle()
            for text, query in asked.items():
                said = Counter(tuple(row.values()) for row in query.answer().to_pylist())
                assert said == _meaning(MEANT[text], seen, second), text


def _change(chance: Random, db: windrow.Database, rows: dict[int, str]) -> None:
    """A row that is new, renamed or gone; keys are never used again."""
    key, name = chance.randint(1, 3), chance.choice(["a", "bb"])
    if key in rows and chance.random() < 0.3:
        db.execute(f"DELETE FROM N WHERE id = {key}")
        rows.pop(key)
    elif key in rows:
        db.execute(f"UPDATE N SET name = '{name}' WHERE id = {key}")
        rows[key] = name
    else:
        try:
            db.execute(f"INSERT INTO N VALUES ({key}, '{name}')")
        except windrow.Error:
            return
        rows[key] = name


def _meaning(sql: str, seen: list[tuple[object, ...]], now: int) -> Counter[tuple[object, ...]]:
    with duckdb.connect(config={"threads": 1}) as engine:
        engine.execute("CREATE TABLE seen (k INT, v INT, n INT, id INT, name VARCHAR, second INT)")
        engine.executemany("INSERT INTO seen VALUES (?, ?, ?, ?, ?, ?)", seen)
        return Counter(engine.execute(sql.replace("now", str(now))).fetchall())


@given(st.randoms(use_true_random=False))
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_a_tuple_has_met_is_taken_back_with_it(chance: Random) -> None:
    check(chance, runner="inline", expiration=chance.choice(["upa", "negative", "direct"]))


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_so_it_is_in_many_more_lives(chance: Random) -> None:
    check(chance, runner="inline", expiration=chance.choice(["upa", "negative", "direct"]))
