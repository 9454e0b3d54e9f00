"""What Spark itself has for windows that slide: its aggregate over hopping windows, and its state by key.

All read the same Parquet files in batches of the same size; Spark has as many partitions as there are
cores, and drops its results. windrow logs what it reads, and keeps state that survives a crash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 (as Spark's users know it)

from bench.harness import Bound, Measurement, Scale, benchmark, measure
from bench.measuring.plain_spark import spark, streamed
from bench.measuring.sliding_state import STORE, sliding_sums
from bench.measuring.spark_runs import BATCH_ROWS, from_files
from bench.measuring.traffic import CHUNK, workplace, write_files
from bench.measuring.window_tasks import W1

WINDROW, SPARK = "windrow, files", "Spark"
HOPPING = (
    "SELECT src, SUM(bytes) AS volume, COUNT(*) AS packets FROM S [RANGE 60 SECONDS SLIDE 1 SECOND]"
    " GROUP BY src"
)


@benchmark("spark_peers")
def spark_peers(scale: Scale) -> Iterator[Measurement]:
    """A window of a minute that slides by a second, and a window of ten seconds that slides by tuples."""
    rows = scale.size(3_000_000, 100_000)
    with workplace() as work:
        write_files(work / "in" / "S", rows)
        for title, query, plan, conf, at_least in (
            ("60 s window, 1 s slide: window()", HOPPING, hopping_sums, {}, 8),
            (
                "each tuple's last 10 s by key: transformWithStateInPandas",
                W1.query,
                sliding_sums,
                {"spark.sql.streaming.stateStore.providerClass": STORE},
                10,
            ),
        ):
            yield measure(
                title,
                {
                    SPARK: partial(_spark, work, plan, conf),
                    WINDROW: partial(from_files, query, ("S",), rows, work),
                },
                work=rows,
                rounds=min(scale.rounds, 3),
                bounds=[Bound(WINDROW, SPARK, at_least=at_least)],
                remark=f"{rows:,} tuples, 10,000 a second of event time, 1,000 keys, at most"
                f" {BATCH_ROWS:,} a batch",
            )


def hopping_sums(rows: DataFrame) -> DataFrame:
    """The first type of timestamps has no watermarks in Spark."""
    rows = rows.withColumn("ts", rows["ts"].cast("timestamp")).withWatermark("ts", "0 seconds")
    hops = F.window("ts", "60 seconds", "1 second")
    return rows.groupBy(hops, "src").agg(F.sum("bytes"), F.count("*"))


def _spark(work: Path, plan: Callable[[DataFrame], DataFrame], conf: dict[str, str]) -> float:
    partitions = str(spark().sparkContext.defaultParallelism)
    conf = {"spark.sql.shuffle.partitions": partitions, **conf}
    return streamed(work / "in" / "*", work, BATCH_ROWS // CHUNK, plan, conf)
