"""What a tuple costs in frames of different length: it should not depend on how many tuples they hold.

How frames compare with DuckDB that evaluates them anew is task W1 of the benchmark `windows`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from itertools import islice

import windrow
from bench.harness import Bound, Measurement, Scale, benchmark, measure
from bench.measuring.traffic import CHUNK, COLUMNS, chunks

FRAMES = {
    "of time": ("RANGE 100 MILLISECONDS PRECEDING", "RANGE 100 SECONDS PRECEDING"),
    "of tuples": ("ROWS 999 PRECEDING", "ROWS 999999 PRECEDING"),
}
"""Of 1,000 tuples and of a million."""
CALLS = ("SUM(bytes)", "MAX(bytes)", "STDDEV(bytes)", "COUNT(DISTINCT dst)", "FIRST(bytes)")
SHORT, LONG = "1,000 tuples", "1,000,000 tuples"


@benchmark("over")
def over(scale: Scale) -> Iterator[Measurement]:
    """Frames of a thousand tuples and of a million, filled before the clock runs."""
    before, rows = scale.size(5, 1) * CHUNK, scale.size(2, 1) * CHUNK
    for kind, (short, long) in FRAMES.items():
        for call in CALLS:
            yield measure(
                f"{call} over frames {kind}",
                {
                    SHORT: partial(_run, call, short, before, rows),
                    LONG: partial(_run, call, long, before, rows),
                },
                work=rows,
                rounds=min(scale.rounds, 5),
                bounds=[Bound(LONG, SHORT, by="time", at_most=1.3)],
                remark=f"inline, no partitions, {before:,} tuples before",
            )


def _run(call: str, frame: str, before: int, rows: int) -> float:
    """Seconds for so many tuples more."""
    with windrow.connect(runner="inline") as db:
        db.execute(f"CREATE STREAM S ({COLUMNS}) ORDER BY ts")
        db.execute(f"INSERT INTO 'blackhole:' SELECT ts, {call} OVER ({frame}) AS result FROM S")
        tables = chunks(before + rows)
        for table in islice(tables, before // CHUNK):
            db.push("S", table)
        db.run_until_idle()
        for table in tables:
            db.push("S", table)
        begin = time.perf_counter()
        db.run_until_idle()
        return time.perf_counter() - begin
