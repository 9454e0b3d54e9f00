"""OVER, from SQL to results, inline: cut into batches, stopped and started, against DuckDB's own."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import duckdb

import windrow
from tests.conftest import Connect

STREAM = "CREATE STREAM S (n INT, k INT, x DOUBLE, v VARCHAR, t TIMESTAMP) ORDER BY t"
NOON = datetime(2026, 1, 1, 12)
SUMMED = (
    "sum(n) OVER (PARTITION BY k ORDER BY t {frame})",
    "max(x) OVER (PARTITION BY v ORDER BY t {frame})",
    "last(v) OVER (PARTITION BY k ORDER BY t {frame})",
)
GATHERED = (
    "count(DISTINCT k) FILTER (WHERE x > 0) OVER (ORDER BY t {frame})",
    "string_agg(v, '') OVER (PARTITION BY k ORDER BY t {frame})",
)
"""What only frames that end can have."""
FRAMES = {
    "RANGE BETWEEN INTERVAL 5 SECONDS PRECEDING AND CURRENT ROW": "t",
    "ROWS BETWEEN 3 PRECEDING AND CURRENT ROW": "n",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW": "t",
}
"""With the column that DuckDB orders by."""


def rows(chance: Random, count: int) -> list[tuple[object, ...]]:
    second, found = 0, []
    for n in range(count):
        second += chance.choice([0, 0, 1, 1, 2, 9])
        k, x = chance.choice([None, 1, 2, 3]), chance.choice([None, -1.5, 0.25, 7.0])
        found.append((n, k, x, chance.choice(["a", "b", None]), NOON + timedelta(seconds=second)))
    return found


def calls(frame: str) -> str:
    kept = SUMMED if "UNBOUNDED" in frame else SUMMED + GATHERED
    return ", ".join(call.format(frame=frame) for call in kept)


def test_results_survive_restarts(connect: Connect, tmp_path: Path) -> None:
    tuples = rows(Random(7), 90)
    said: dict[str, list[tuple[object, ...]]] = {frame: [] for frame in FRAMES}
    for start in range(0, 90, 30):
        db = connect(tmp_path)
        db.execute(STREAM)
        queries = {frame: db.query(f"SELECT n, {calls(frame)} FROM S") for frame in FRAMES}
        for first in range(start, start + 30, 7):
            db.push("S", tuples[first : min(first + 7, start + 30)])
            db.run_until_idle()
        if start == 60:
            db.advance("S", tuples[-1][-1] + timedelta(seconds=1))  # type: ignore[operator]
            db.run_until_idle()
        for frame, query in queries.items():
            told = query.changes().drop_columns(["op", "ts"]).to_pylist()
            said[frame] += [tuple(row.values()) for row in told]
        db.close()
    with duckdb.connect() as engine:
        engine.execute(STREAM.replace("STREAM", "TABLE").partition(" ORDER")[0])
        engine.executemany("INSERT INTO S VALUES (?, ?, ?, ?, ?)", tuples)
        for frame, by in FRAMES.items():
            query_ = f"SELECT n, {calls(frame).replace('ORDER BY t', f'ORDER BY {by}')} FROM S ORDER BY n"
            assert sorted(said[frame]) == engine.execute(query_).fetchall(), frame


def test_a_derived_stream_goes_on_from_frames(db: windrow.Database) -> None:
    db.execute(STREAM)
    db.execute("CREATE STREAM Risen AS SELECT n, t, n - lag(n) OVER (PARTITION BY k) AS step FROM S")
    risen = db.query(
        "SELECT step, count(*) OVER (PARTITION BY step ROWS UNBOUNDED PRECEDING) AS c FROM Risen"
    )
    db.push("S", [(n, n % 2, None, None, NOON + timedelta(seconds=n)) for n in range(6)])
    db.run_until_idle()
    assert [tuple(row.values()) for row in risen.answer().to_pylist()] == [
        (None, 1),
        (None, 2),
        (2, 1),
        (2, 2),
        (2, 3),
        (2, 4),
    ]


def test_streams_that_the_system_stamps_have_frames(db: windrow.Database) -> None:
    db.execute("CREATE STREAM Latent (a INT)")
    sums = db.query("SELECT a, sum(a) OVER (ROWS 1 PRECEDING) AS two FROM Latent")
    for a in (1, 2, 3):
        db.push("Latent", [(a,)])
    db.run_until_idle()
    assert [row["two"] for row in sums.answer().to_pylist()] == [1, 3, 5]
