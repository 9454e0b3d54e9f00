"""What a batch writes of a large state follows from what it changes."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa

import windrow
from tests.conftest import Connect
from tests.runtime.test_few_keys_after_many import DECLARED, QUERIES

MANY, FEW, BATCHES = 20_000, 10, 9
SHARE = 1 / 100
"""Of all that a query keeps, so much may a batch write that changes a thousandth of it. Now and then it is
more, for what is small grows together."""


def grown(sql: str) -> str:
    """A query whose windows hold a thousand seconds, or as many tuples as come then."""
    return re.sub(r"\d+\]", f"{MANY // 2}]", re.sub(r"RANGE \d", "RANGE 1000", sql))


def test_a_small_batch_writes_little_of_a_large_state(connect: Connect, tmp_path: Path) -> None:
    db = connect(tmp_path)
    db.execute(DECLARED)
    names = {db.query(grown(sql), into="blackhole:").name: name for name, sql in QUERIES.items()}
    push(db, 0, MANY, seconds=1000)
    known = files(tmp_path)
    kept = {query: sum(found.values()) for query, found in known.items()}
    written: dict[str, list[int]] = {query: [] for query in names}
    for batch in range(BATCHES):
        push(db, 1000 + batch * FEW / 10, FEW, seconds=FEW / 10)
        now = files(tmp_path)
        for query, found in now.items():
            written[query].append(sum(found[path] for path in found.keys() - known[query].keys()))
        known = now
    shares = {names[query]: median(each) / kept[query] for query, each in written.items()}
    assert {name: share for name, share in shares.items() if share > SHARE} == {}


def push(db: windrow.Database, second: float, count: int, *, seconds: float) -> None:
    """So many tuples of each stream, one key each, over some seconds."""
    begin, length = int(second * 1e6), int(seconds * 1e6)
    ts = begin + np.arange(count) * length // count
    keys = ts // 1000 * 7919 % 1_000_003
    rows = pa.table({"k": keys, "v": keys % 7, "ts": pa.array(ts, pa.timestamp("us"))})
    for stream in "SR":
        db.push(stream, rows)
        db.advance(stream, datetime(1970, 1, 1) + timedelta(microseconds=begin + length - 1))
    db.run_until_idle()


def files(checkpoint: Path) -> dict[str, dict[Path, int]]:
    """The segments of each query's state, and their sizes."""
    return {
        query.name.partition("-")[0]: {path: path.stat().st_size for path in query.glob("*/*/*.arrow")}
        for query in checkpoint.glob("state/*")
    }
