"""State comes back mapped, not loaded: what tuples carry beside their keys stays on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from tests.conftest import Connect
from windrow.runtime.program import Program
from windrow.runtime.state import Places

COUNT, WIDTH = 3000, 3000
QUERIES = {
    "join": "SELECT a.v AS v FROM S [RANGE 1 HOUR] AS a, R [RANGE 1 HOUR] AS b WHERE a.k = b.k",
    "outer": "SELECT a.v AS v, b.v AS w"
    " FROM S [RANGE 1 HOUR] AS a LEFT JOIN R [RANGE 1 HOUR] AS b ON a.k = b.k",
    "negation": "SELECT v FROM S [RANGE 1 HOUR] AS a WHERE NOT EXISTS"
    " (SELECT * FROM R [RANGE 1 MINUTE] AS b WHERE a.k = b.k)",
    "window": "SELECT k, v FROM S [RANGE 1 HOUR]",
    "sliding": "SELECT k, v FROM S [RANGE 1 HOUR SLIDE 1 HOUR]",
    "newest": "SELECT k, v FROM S [PARTITION BY k ROWS 5]",
    "over": "SELECT v, COUNT(*) OVER (PARTITION BY k RANGE 1 HOUR PRECEDING ACTIVE EXPIRATION) AS n FROM S",
}


def test_what_is_not_needed_stays_on_disk(connect: Connect, tmp_path: Path) -> None:
    with connect(tmp_path) as db:
        for stream in "SR":
            db.execute(f"CREATE STREAM {stream} (k INT, v VARCHAR, ts TIMESTAMP) ORDER BY ts")
        for name, sql in QUERIES.items():
            db.query(sql, name=name, into="blackhole:")
        for stream in "SR":
            ts = pa.array(np.arange(COUNT) * 10_000, pa.timestamp("us"))
            texts = [f"{number:0{WIDTH}}" for number in range(COUNT)]
            db.push(stream, pa.table({"k": np.arange(COUNT) % 1000, "v": texts, "ts": ts}))
        db.run_until_idle()
    program = Program.load(tmp_path / "programs", Program.newest(tmp_path / "programs"))
    places, loaded = Places.under(tmp_path), {}
    for query in program.compiled():
        folder = tmp_path / "state" / query.key / "1" / "0"
        size = sum(path.stat().st_size for path in folder.glob("*.arrow"))
        assert size > COUNT * WIDTH / 4, query.name
        version = max(int(path.stem) for path in folder.glob("*.json"))
        before = pa.total_allocated_bytes()
        with places.place(query.key, 1, 0).at(version + 1, query.compiled.stages[1].start, version):
            loaded[query.name] = (pa.total_allocated_bytes() - before) / size
    assert {name: share for name, share in loaded.items() if share > 0.1} == {}
