"""An average of the user's own beside the one that is built in, over frames of 1,000 groups; and how long
its first use takes, when it has to be compiled, and the first use after another start.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice

import numpy as np
import pyarrow as pa

import windrow
from bench.harness import Bound, Measurement, Scale, benchmark, measure
from windrow import library

GROUPS, CHUNK = 1_000, 250_000
FRAMES = ("RANGE 1 SECOND PRECEDING", "ROWS 99 PRECEDING", "ROWS UNBOUNDED PRECEDING")
CALLS = {"built in": "avg(x)", "in ESL": "mean(x)", "in Python": "moving(x)"}

CLASS = """LANGUAGE PYTHON AS 'bench.measuring.moving:Moving'"""
FIRST = """
import sys, time
import windrow
with windrow.connect(runner="inline") as db:
    db.execute("CREATE STREAM S (x DOUBLE)")
    warm = db.query("SELECT avg(x) OVER (ROWS 9 PRECEDING) AS m FROM S")
    db.push("S", [(1.0,)])
    db.run_until_idle()
    begun = time.perf_counter()
    db.execute(sys.argv[1])
    own = db.query("SELECT own(x) OVER (ROWS 9 PRECEDING) AS m FROM S")
    db.push("S", [(2.0,)])
    db.run_until_idle()
    assert len(own.answer())
    print(time.perf_counter() - begun)
"""
OWN = """CREATE WINDOW AGGREGATE own(next DOUBLE) : DOUBLE {
    TABLE state(total DOUBLE, number BIGINT);
    TABLE inwindow(value DOUBLE);
    INITIALIZE: { INSERT INTO state VALUES (next, 1) }
    ITERATE: { UPDATE state SET total = total + next, number = number + 1 }
    EXPIRE: { UPDATE state SET total = total - oldest(), number = number - 1 }
    TERMINATE: { INSERT INTO RETURN SELECT total / number FROM state }
}"""


@benchmark("esl_average")
def esl_average(scale: Scale) -> Iterator[Measurement]:
    """Tuples a second, by the kind of frame; then seconds to the first result."""
    chunks = scale.size(4, 1)
    for frame in FRAMES:
        yield measure(
            f"average over {frame}",
            {name: partial(_run, call, frame, chunks) for name, call in CALLS.items()},
            work=chunks * CHUNK,
            rounds=scale.rounds,
            bounds=[
                Bound("in ESL", "built in", at_least=1 / 1.5),
                Bound("in Python", "built in"),
                Bound("in ESL", at_least=3e6),
            ],
            remark=f"inline, {GROUPS:,} groups",
        )
    with tempfile.TemporaryDirectory() as folder:
        yield measure(
            "a new aggregate",
            {"first use": _first_use, "next start": partial(_start, folder)},
            work=1,
            unit="answers",
            rounds=scale.rounds,
            bounds=[
                Bound("first use", by="time", at_most=3),
                Bound("next start", by="time", at_most=0.3),
            ],
            remark="from CREATE AGGREGATE to an answer, in a process that has given another one",
        )


def _run(call: str, frame: str, chunks: int) -> float:
    """Seconds for so many tuples, behind as many."""
    with windrow.connect(runner="inline") as db:
        db.execute("CREATE STREAM S (k BIGINT, x DOUBLE, t TIMESTAMP) ORDER BY t")
        db.execute(library.text("averages"))
        db.execute(f"CREATE AGGREGATE moving(x DOUBLE) : DOUBLE {CLASS}")
        db.execute(f"CREATE WINDOW AGGREGATE moving(x DOUBLE) : DOUBLE {CLASS}")
        db.execute(f"INSERT INTO 'blackhole:' SELECT k, {call} OVER (PARTITION BY k {frame}) AS m FROM S")
        tables = _tables(2 * chunks)
        for table in islice(tables, chunks):
            db.push("S", table)
        db.run_until_idle()
        for table in tables:
            db.push("S", table)
        begun = time.perf_counter()
        db.run_until_idle()
        return time.perf_counter() - begun


def _tables(count: int) -> Iterator[pa.Table]:
    chance = np.random.default_rng(1)
    for first in range(0, count * CHUNK, CHUNK):
        at = pa.array(np.arange(first, first + CHUNK) * 10, pa.timestamp("us"))
        yield pa.table({"k": chance.integers(0, GROUPS, CHUNK), "x": chance.random(CHUNK), "t": at})


def _first_use() -> float:
    with tempfile.TemporaryDirectory() as folder:
        return _start(folder)


def _start(folder: str) -> float:
    """Seconds to the first answer in a new process, with a folder for what it compiles."""
    environment = {"XDG_CACHE_HOME": folder, "PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", FIRST, OWN]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)
