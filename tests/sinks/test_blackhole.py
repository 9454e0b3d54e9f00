"""What goes into a black hole is counted and gone."""

from __future__ import annotations

import windrow


def test_the_query_runs_and_nothing_is_kept(db: windrow.Database) -> None:
    db.execute("CREATE STREAM S (a INTEGER)")
    (outcome,) = db.execute("INSERT INTO 'blackhole:' SELECT a FROM S")
    db.push("S", [(1,), (2,)])
    db.run_until_idle()
    assert outcome.query is not None
    assert outcome.query.metrics()["tuples_out"] == 2
