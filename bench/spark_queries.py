"""Twenty queries on one stream, against one: the stream is read once for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.harness import Bound, Measurement, Scale, benchmark, measure
from bench.measuring.spark_runs import BATCH_ROWS, from_log
from bench.measuring.traffic import chunks, workplace

QUERIES = [
    "SELECT src, SUM(bytes) AS volume, MAX(bytes) AS largest"
    f" FROM S [RANGE {seconds} SECONDS SLIDE 1 SECOND] GROUP BY src"
    for seconds in range(60, 40, -1)
]
ONE, ALL = "one query", "twenty queries"


@benchmark("spark_queries")
def spark_queries(scale: Scale) -> Iterator[Measurement]:
    """Sums by key over twenty different windows."""
    rows = scale.size(4_000_000, 100_000)
    with workplace() as work:

        def run(queries: Sequence[str]) -> float:
            return rows * from_log(queries, ({"S": chunk} for chunk in chunks(rows)), work)

        yield measure(
            "SUM, MAX by src over windows of 41 to 60 s",
            {
                ONE: lambda: run(QUERIES[:1]),
                ALL: lambda: run(QUERIES),
            },
            work=rows,
            rounds=min(scale.rounds, 3),
            bounds=[Bound(ALL, ONE, by="time", at_most=5)],
            remark=f"{rows:,} tuples in the log, at most {BATCH_ROWS:,} a batch; results are dropped",
        )
