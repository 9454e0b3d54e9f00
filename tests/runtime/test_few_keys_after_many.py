"""A checkpoint is gone on with when most of what was kept has ended: codes and slots are numbered anew."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

import windrow

DECLARED = """
    CREATE STREAM S (k BIGINT, v BIGINT, ts TIMESTAMP) ORDER BY ts;
    CREATE STREAM R (k BIGINT, v BIGINT, ts TIMESTAMP) ORDER BY ts;
    CREATE TABLE T (k BIGINT, label VARCHAR);
    INSERT INTO T SELECT range, 'known' FROM range(9000, 9010);
"""
QUERIES = {
    "groups": """SELECT k, COUNT(*) AS n, SUM(v) AS s, MAX(v) AS m, COUNT(DISTINCT v) AS d, MEDIAN(v) AS e
        FROM S [RANGE 5 SECONDS] GROUP BY k""",
    "sliding": "SELECT k, MIN(v) AS m FROM S [RANGE 5 SECONDS SLIDE 1 SECOND] GROUP BY k",
    "counted": "SELECT k, v FROM S [PARTITION BY k ROWS 2]",
    "strict": "SELECT k, MAX(v) AS m, COUNT(DISTINCT v) AS d FROM S [ROWS 20] GROUP BY k",
    "distinct": "SELECT DISTINCT k, v FROM S [RANGE 5 SECONDS]",
    "join": "SELECT a.k AS k, b.v AS v FROM S [RANGE 5 SECONDS] a, R [RANGE 5 SECONDS] b WHERE a.k = b.k",
    "outer": """SELECT a.k AS k, b.v AS v
        FROM S [RANGE 5 SECONDS] a LEFT JOIN R [RANGE 5 SECONDS] b ON a.k = b.k""",
    "negation": """SELECT k, v FROM S [RANGE 5 SECONDS] a
        WHERE NOT EXISTS (SELECT * FROM R [RANGE 3 SECONDS] b WHERE a.k = b.k)""",
    "strict negation": """SELECT k, v FROM S [ROWS 30] a
        WHERE NOT EXISTS (SELECT * FROM R [ROWS 30] b WHERE a.k = b.k)""",
    "not in": "SELECT k FROM S [RANGE 5 SECONDS] WHERE k NOT IN (SELECT k FROM R [RANGE 3 SECONDS])",
    "except": "SELECT k FROM S [RANGE 5 SECONDS] EXCEPT ALL SELECT k FROM R [RANGE 5 SECONDS]",
    "intersect": "SELECT k FROM S [RANGE 5 SECONDS] INTERSECT SELECT k FROM R [RANGE 5 SECONDS]",
    "strict intersect": "SELECT k FROM S [RANGE 5 SECONDS] INTERSECT ALL SELECT k FROM R [ROWS 30]",
    "over": "SELECT k, SUM(v) OVER (PARTITION BY k RANGE 5 SECONDS PRECEDING) AS s FROM S",
    "over rows": "SELECT k, MAX(v) OVER (PARTITION BY k ROWS 3 PRECEDING) AS m FROM S",
    "first": "SELECT k, SUM(v) AS s FROM S [RANGE 5 SECONDS] GROUP BY k ORDER BY s DESC, k LIMIT 7",
    "table": "SELECT a.k AS k, label FROM S [RANGE 5 SECONDS] a, T WHERE a.k = T.k",
}
MANY = 3000
Told = dict[str, Counter[str]]


def push(db: windrow.Database, stream: str, keys: range, second: int) -> None:
    at = [moment(second)] * len(keys)
    db.push(
        stream,
        pa.table({"k": keys, "v": [key % 7 for key in keys], "ts": pa.array(at, pa.timestamp("us"))}),
    )


def moment(second: int) -> datetime:
    return datetime(2026, 1, 1) + timedelta(seconds=second)


def asked(db: windrow.Database, told: Told) -> None:
    for name, query in QUERIES.items():

        def take(_batch: int, changes: pa.Table, name: str = name) -> None:
            told[name].update(map(repr, changes.to_pylist()))

        db.query(query, name=name, into=take)


def play(checkpoint: Path, *, again: bool) -> Any:
    """What all queries tell, from a checkpoint that is opened once or, when few keys are left, `again`."""
    told: Told = {name: Counter() for name in QUERIES}
    db = windrow.connect("inline", checkpoint=checkpoint)
    db.execute(DECLARED)
    asked(db, told)
    push(db, "S", range(MANY), 1)
    push(db, "R", range(0, MANY, 2), 1)
    db.run_until_idle()
    push(db, "S", range(9000, 9020), 20)
    push(db, "R", range(9000, 9010), 20)
    db.run_until_idle()
    if again:
        db.close()
        db = windrow.connect("inline", checkpoint=checkpoint)
        asked(db, told)
    push(db, "S", range(9000, 9040), 22)
    push(db, "R", range(9005, 9020), 23)
    db.run_until_idle()
    push(db, "S", range(3), 40)
    push(db, "R", range(1, 2), 40)
    for stream in ("S", "R"):
        db.advance(stream, moment(60))
    db.run_until_idle()
    db.close()
    return told


def test_few_keys_go_on_after_many(tmp_path: Path) -> None:
    expected = play(tmp_path / "once", again=False)
    assert all(expected.values())
    told = play(tmp_path / "twice", again=True)
    for name in QUERIES:
        assert told[name] == expected[name], name
