"""Which of two tuples of one instant came first is known wherever it counts, in however many places a plan
runs: of the tuples here many are of one instant, and DuckDB goes by their numbers.
"""

from __future__ import annotations

from random import Random

import duckdb
import pytest

import windrow
from tests.conftest import NOON
from windrow.runtime import inline
from windrow.runtime.execution import work_of

COLUMNS = "n INT, k INT, j INT, t TIMESTAMP"
QUERIES = {
    "newest tuples": (
        "SELECT n, c FROM (SELECT n, count(*) OVER (PARTITION BY k RANGE 5 SECONDS PRECEDING) AS c FROM S)"
        " AS q [ROWS 7]",
        "SELECT n, c FROM (FROM ({counted}) ORDER BY n DESC LIMIT 7)",
    ),
    "newest tuples of each": (
        "SELECT n, c FROM (SELECT n, j, count(*) OVER (PARTITION BY k RANGE 5 SECONDS PRECEDING) AS c"
        " FROM S) AS q [PARTITION BY j ROWS 2]",
        "SELECT n, c FROM ({counted}) QUALIFY row_number() OVER (PARTITION BY j ORDER BY n DESC) < 3",
    ),
    "frames of so many": (
        "SELECT n, sum(c) OVER (ROWS 2 PRECEDING) AS s FROM"
        " (SELECT n, count(*) OVER (PARTITION BY k RANGE 5 SECONDS PRECEDING) AS c FROM S) AS q",
        "SELECT n, sum(c) OVER (ORDER BY n ROWS 2 PRECEDING) FROM ({counted})",
    ),
    "the last of a frame": (
        "SELECT n, last(c) OVER (RANGE 9 SECONDS PRECEDING) AS s FROM"
        " (SELECT n, count(*) OVER (PARTITION BY k RANGE 5 SECONDS PRECEDING) AS c FROM S) AS q",
        "SELECT n, last(c) OVER (PARTITION BY t ORDER BY n ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED"
        " FOLLOWING) FROM ({counted})",
    ),
    "the last of a group": (
        "SELECT j, last(c) AS f FROM (SELECT n, j, count(*) OVER (PARTITION BY k RANGE 5 SECONDS PRECEDING)"
        " AS c FROM S) AS q [RANGE 1 DAY] GROUP BY j",
        "SELECT j, arg_max(c, n) FROM ({counted}) GROUP BY j",
    ),
}
COUNTED = (
    "SELECT *, count(*) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN INTERVAL 5 SECONDS PRECEDING AND"
    " CURRENT ROW) AS c FROM S"
)


@pytest.mark.parametrize("name", QUERIES)
def test_tuples_of_one_instant_stay_in_their_order(
    db: windrow.Database, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(inline, "work_of", lambda *batch, **_: work_of(*batch[:2], buckets=3))
    asked, wanted = QUERIES[name]
    chance = Random(name)
    rows = [(n, chance.randrange(9), chance.randrange(3), NOON + n // 20 * 1_000_000) for n in range(120)]
    db.execute(f"CREATE STREAM S ({COLUMNS}) ORDER BY t")
    query = db.query(asked)
    for begin in range(0, 120, 30):
        db.push("S", rows[begin : begin + 30])
        db.run_until_idle()
    db.advance("S", rows[-1][-1] + 1)
    db.run_until_idle()
    with duckdb.connect() as engine:
        engine.execute("CREATE TABLE S (n INT, k INT, j INT, us BIGINT)")
        engine.executemany("INSERT INTO S VALUES (?, ?, ?, ?)", rows)
        engine.execute("CREATE VIEW T AS SELECT * EXCLUDE us, make_timestamp(us) AS t FROM S")
        expected = engine.execute(wanted.format(counted=COUNTED.replace("FROM S", "FROM T"))).fetchall()
    assert sorted(tuple(row.values()) for row in query.answer().to_pylist()) == sorted(expected)
