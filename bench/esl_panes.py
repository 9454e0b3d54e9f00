"""Figures 6 and 7 of the ESL paper: what panes are worth, over the last 40,000 rows, by the slide.

A sum of the user's own, once ALGEBRAIC, so that a slide cuts its window into panes and only their sums are
kept, and once not, so that it keeps the window and follows each row that leaves it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from statistics import median

import numpy as np
import pyarrow as pa

import windrow
from bench.harness import Bound, Curves, Measurement, Scale, benchmark, measure

WINDOW = 40_000
SLIDES = (1, 10, 100, 1_000, 4_000, 10_000, 20_000, 40_000)
CHUNK = 200_000

TOTAL = """CREATE {} AGGREGATE total(price DOUBLE) : DOUBLE {{
    TABLE state(sum DOUBLE);
    INITIALIZE: {{ INSERT INTO state VALUES (price) }}
    ITERATE: {{ UPDATE state SET sum = sum + price }}
    TERMINATE: {{ INSERT INTO RETURN SELECT sum FROM state }}
}}"""
EXPIRING = """CREATE WINDOW AGGREGATE total(price DOUBLE) : DOUBLE {
    TABLE state(sum DOUBLE);
    TABLE inwindow(old DOUBLE);
    INITIALIZE: { INSERT INTO state VALUES (price) }
    ITERATE: { UPDATE state SET sum = sum + price }
    EXPIRE: { UPDATE state SET sum = sum - oldest() }
    TERMINATE: { INSERT INTO RETURN SELECT sum FROM state }
}"""
PANES, WHOLE = "with panes", "without"


@benchmark("esl_panes")
def esl_panes(scale: Scale) -> Iterator[Measurement | Curves]:
    """What is kept, and tuples a second."""
    rows = scale.size(1_000_000, CHUNK)
    slides = SLIDES[::3] if scale.quick else SLIDES
    found = {
        (name, slide): [_run(name, slide, rows) for _ in range(1 if scale.quick else 3)]
        for slide in slides
        for name in (PANES, WHOLE)
    }
    for what, place, factor in (("kilobytes kept", 1, 1e-3), ("thousand tuples a second", 0, rows / 1e3)):
        lines = {
            name: tuple(
                _told(place, factor, median(run[place] for run in found[name, slide])) for slide in slides
            )
            for name in (PANES, WHOLE)
        }
        yield Curves("sum over 40,000 rows", "slide", slides, what, lines, logarithmic="xy")
    yield measure(
        "slide of 1,000 rows",
        {name: partial(_seconds, name, 1_000, rows) for name in (PANES, WHOLE)},
        work=rows,
        rounds=scale.rounds,
        bounds=[Bound(PANES, WHOLE, at_least=1.0)],
        remark="inline, no partitions",
    )


def _told(place: int, factor: float, value: float) -> float:
    return value * factor if place else factor / value


def _seconds(name: str, slide: int, rows: int) -> float:
    return _run(name, slide, rows)[0]


def _run(name: str, slide: int, rows: int) -> tuple[float, int]:
    """Seconds for so many rows, and the bytes that are kept then."""
    with windrow.connect(runner="inline") as db:
        db.execute("CREATE STREAM Bid (price DOUBLE, ts TIMESTAMP) ORDER BY ts")
        db.execute(TOTAL.format("ALGEBRAIC" if name == PANES else ""))
        db.execute(EXPIRING)
        query = db.query(
            f"SELECT total(price) OVER (ROWS {WINDOW - 1} PRECEDING SLIDE {slide}) AS total FROM Bid",
            into="blackhole:",
        )
        chance = np.random.default_rng(1)
        db.push("Bid", _bids(chance, 0, WINDOW))
        db.run_until_idle()
        seconds = 0.0
        for first in range(WINDOW, WINDOW + rows, CHUNK):
            db.push("Bid", _bids(chance, first, CHUNK))
            begun = time.perf_counter()
            db.run_until_idle()
            seconds += time.perf_counter() - begun
        return seconds, sum(step["bytes"] for step in query.metrics()["steps"])


def _bids(chance: np.random.Generator, first: int, count: int) -> pa.Table:
    at = pa.array(np.arange(first, first + count), pa.timestamp("us"))
    return pa.table({"price": chance.random(count), "ts": at})
