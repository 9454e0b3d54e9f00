"""What a run came to: what each stream took in, what each query gave out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from rich.console import Console
from rich.text import Text

from windrow.cli.progress import duration
from windrow.cli.render import counted, print_table

if TYPE_CHECKING:
    from windrow.database import Query
    from windrow.runtime.metrics import Metrics


def print_summary(
    console: Console,
    metrics: Metrics,
    queries: Iterable[Query],
    seconds: float,
    *,
    before: int = 0,
    steps: bool = False,
) -> None:
    """Tables of streams and queries, and a sentence on the last seconds, `before` which so many came in;
    if asked for, what each step of each query did."""
    console.print()
    print_table(console, streams_table(metrics), count=False)
    chosen = list(queries)
    if chosen:
        console.print()
        print_table(console, queries_table(chosen), count=False)
    if chosen and steps:
        console.print()
        print_table(console, steps_table(chosen), count=False)
    console.print(Text(f"\n{sentence(metrics, seconds, before)}", style="dim"), soft_wrap=True)


def streams_table(metrics: Metrics) -> pa.Table:
    streams = metrics.streams
    return pa.table(
        {
            "stream": pa.array([stream.name for stream in streams], pa.string()),
            "accepted": pa.array([stream.accepted for stream in streams], pa.int64()),
            "late": pa.array([stream.late for stream in streams], pa.int64()),
            "rejected": pa.array([stream.rejected for stream in streams], pa.int64()),
        }
    )


def queries_table(queries: Iterable[Query]) -> pa.Table:
    chosen = list(queries)
    metrics = [query.metrics() for query in chosen]
    return pa.table(
        {
            "query": pa.array([query.name for query in chosen], pa.string()),
            "tuples out": pa.array([each["tuples_out"] for each in metrics], pa.int64()),
            "failed": pa.array([each["failed"] for each in metrics], pa.int64()),
            "delay p50": [_delay(each, "p50") for each in metrics],
            "delay p99": [_delay(each, "p99") for each in metrics],
            "sink": pa.array([query.sink for query in chosen], pa.string()),
        }
    )


def steps_table(queries: Iterable[Query]) -> pa.Table:
    """What each step of each query did."""
    told = [
        {"query": query.name, **step, "took": duration(step["seconds"])}
        for query in queries
        for step in query.metrics()["steps"]
    ]
    columns = {"step": pa.string(), "query": pa.string()} | dict.fromkeys(
        ("positive", "negative", "messages", "probes", "rows", "bytes"), pa.int64()
    )
    return pa.Table.from_pylist(told, pa.schema(columns | {"took": pa.string()}))


def _delay(metrics: Mapping[str, Any], which: str) -> str:
    """In the streams' time."""
    return duration(None if metrics["delay"] is None else metrics["delay"][which])


def sentence(metrics: Metrics, seconds: float, before: int) -> str:
    """The whole run in one line."""
    came = metrics.tuples_in - before
    rate = came / seconds if seconds else 0.0
    return (
        f"{came:,} tuples in within {seconds:.1f} s "
        f"({rate:,.0f} tuples/s, {counted(metrics.batches, 'batch')}, "
        f"delay p50 {duration(metrics.delay_p50)}, p99 {duration(metrics.delay_p99)})"
        + (f"; {before:,} more came while it started" if before else "")
    )
