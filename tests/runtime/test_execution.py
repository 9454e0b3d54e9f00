"""What a batch gives, apart from where it runs."""

from __future__ import annotations

import windrow


def test_failures_of_every_stage_are_told(db: windrow.Database) -> None:
    db.execute("CREATE STREAM S (ts TIMESTAMP, note VARCHAR) ORDER BY ts")
    one = "SELECT ts, CAST(note AS INTEGER) AS n FROM S"
    query = db.query(f"{one} UNION {one}")
    db.push("S", [("2026-01-01", "1"), ("2026-01-01", "x")])
    db.run_until_idle()
    assert query.answer()["n"].to_pylist() == [1]
    assert query.metrics()["failed"] == 2
    assert {failure["stream"] for failure in query.metrics()["failures"]} == {"S"}
