"""The seven tasks over sliding windows that the benchmarks of windows are about.

Each is a query of windrow's, and what DuckDB evaluates at each second of event time for the same
results: the window as it is then or, where each tuple or each change counts, what the last second
added. Tuples come at 10,000 a second, on one stream or half of them on each of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from bench.measuring.traffic import chunks

SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class WindowTask:
    """What is asked of windrow and of DuckDB. In DuckDB's text, {now} is the end of the second, in
    microseconds, and the streams are tables whose column `us` holds their timestamps as such."""

    name: str
    title: str
    query: str
    naive: str
    at_least: float
    """The ratio of windrow's throughput, inline, to DuckDB's."""
    streams: tuple[str, ...] = ("S",)
    seconds: int = 120
    """Of event time."""
    is_changelog: bool = False
    """DuckDB compares its answer with the one a second before."""

    @property
    def rows(self) -> int:
        return self.seconds * 10_000


def _live(stream: str, seconds: int, columns: str = "*") -> str:
    return f"(SELECT {columns} FROM {stream} WHERE us > {{now}} - {seconds * SECOND} AND us <= {{now}})"


W1, W2, W3, W4, W5, W6, W7 = TASKS = (
    WindowTask(
        "W1",
        "SUM and COUNT over the last 10 s of its src, for every tuple",
        "SELECT ts, src, SUM(bytes) OVER (PARTITION BY src RANGE 10 SECONDS PRECEDING) AS volume,"
        " COUNT(*) OVER (PARTITION BY src RANGE 10 SECONDS PRECEDING) AS packets FROM S",
        "SELECT ts, src, volume, packets FROM (SELECT *, sum(bytes) OVER w AS volume, count(*) OVER w AS"
        f" packets FROM {_live('S', 11)} WINDOW w AS (PARTITION BY src ORDER BY us RANGE BETWEEN"
        f" {10 * SECOND} PRECEDING AND CURRENT ROW)) WHERE us > {{now}} - {SECOND}",
        at_least=20,
    ),
    WindowTask(
        "W2",
        "SUM, COUNT, MAX by src, RANGE 60 s SLIDE 1 s",
        "SELECT src, SUM(bytes) AS volume, COUNT(*) AS packets, MAX(bytes) AS largest"
        " FROM S [RANGE 60 SECONDS SLIDE 1 SECOND] GROUP BY src",
        f"SELECT src, sum(bytes), count(*), max(bytes) FROM {_live('S', 60)} GROUP BY src",
        at_least=5,
    ),
    WindowTask(
        "W3",
        "join of two windows on src, within 1 s, 5 matches a tuple",
        "SELECT A.src AS src, A.dst AS one, B.dst AS other"
        " FROM A [RANGE 1 SECOND INTERNAL], B [RANGE 1 SECOND INTERNAL] WHERE A.src = B.src",
        f"SELECT A.src, A.dst, B.dst FROM {_live('A', 2)} A, {_live('B', 2)} B WHERE A.src = B.src AND"
        f" abs(A.us - B.us) < {SECOND} AND greatest(A.us, B.us) > {{now}} - {SECOND}",
        at_least=5,
        streams=("A", "B"),
        seconds=60,
    ),
    WindowTask(
        "W4",
        "COUNT(DISTINCT dst) by src, RANGE 60 s SLIDE 1 s",
        "SELECT src, COUNT(DISTINCT dst) AS fans FROM S [RANGE 60 SECONDS SLIDE 1 SECOND] GROUP BY src",
        f"SELECT src, count(DISTINCT dst) FROM {_live('S', 60)} GROUP BY src",
        at_least=15,
    ),
    WindowTask(
        "W5",
        "top 10 src by SUM(bytes), RANGE 60 s SLIDE 1 s",
        "SELECT src, SUM(bytes) AS volume FROM S [RANGE 60 SECONDS SLIDE 1 SECOND]"
        " GROUP BY src ORDER BY volume DESC LIMIT 10",
        f"SELECT src, sum(bytes) FROM {_live('S', 60)} GROUP BY src ORDER BY sum(bytes) DESC LIMIT 10",
        at_least=5,
    ),
    WindowTask(
        "W6",
        "tuples of A with none of B of the same src, 10 s windows, changelog",
        "SELECT src, dst, bytes FROM A [RANGE 10 SECONDS] WHERE NOT EXISTS"
        " (SELECT * FROM B [RANGE 10 SECONDS] WHERE B.src = A.src)",
        f"SELECT src, dst, bytes FROM {_live('A', 10)} A WHERE NOT EXISTS"
        f" (SELECT * FROM {_live('B', 10)} B WHERE B.src = A.src)",
        at_least=8,
        streams=("A", "B"),
        seconds=60,
        is_changelog=True,
    ),
    WindowTask(
        "W7",
        "DISTINCT src, dst in a 60 s window, changelog",
        "SELECT DISTINCT src, dst FROM S [RANGE 60 SECONDS]",
        f"SELECT DISTINCT src, dst FROM {_live('S', 60)}",
        at_least=20,
        is_changelog=True,
    ),
)


def traffic_of(task: WindowTask, rows: int, sources: int = 1_000) -> Iterator[Mapping[str, pa.Table]]:
    """The tuples of each stream, chunk by chunk."""
    return (shared_out(task, chunk) for chunk in chunks(rows, sources))


def shared_out(task: WindowTask, chunk: pa.Table) -> Mapping[str, pa.Table]:
    """Tuples on the streams of a task; two take turns."""
    turns = len(task.streams)
    return {
        name: chunk.take(np.arange(turn, chunk.num_rows, turns)) for turn, name in enumerate(task.streams)
    }
