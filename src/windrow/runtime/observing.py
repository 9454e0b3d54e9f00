"""Statistics of running streams, taken from their logs when a query starts.

A rate is that of the history in the log, in the stream's own time. How many different values a column
has is guessed from the newest tuples: those seen there, and as many more as the values that were seen once
and twice suggest (Chao's estimate). A stream with little history says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from windrow.catalog import Relation, Stream
from windrow.log.index import Index
from windrow.log.stream_log import LogReader
from windrow.plan.joins import RelationScan
from windrow.plan.nodes import Node, Scan, leaves
from windrow.plan.statistics import Observed, Statistics

LEAST = 1000
"""Of fewer tuples nothing is concluded."""
SAMPLE = 10_000
"""So many of the newest tuples are looked at."""


def observed(plan: Node, logs: Mapping[str, LogReader], count: Callable[[Relation], int]) -> Statistics:
    """What is known of all that a plan reads; `count` tells how many rows a relation has."""
    seen: dict[str, Observed] = {}
    for leaf in leaves(plan):
        if isinstance(leaf, RelationScan):
            seen[leaf.relation.name.lower()] = Observed(rows=_rounded(count(leaf.relation)))
        elif isinstance(leaf, Scan) and (found := _of_stream(leaf.stream, logs[leaf.stream.log])):
            seen[leaf.stream.name.lower()] = found
    return Statistics.of(**seen)


def _of_stream(stream: Stream, log: LogReader) -> Observed | None:
    index = log.index()
    part = index.of_part(stream)
    there = part.rows > 0
    rows = int(part.rows.sum())
    if rows < LEAST:
        return None
    seconds = (int(part.max_ts[there].max()) - int(part.min_ts[there].min())) / 1e6
    rate = _rounded(rows / seconds) if seconds > 0 else None
    return Observed(rate, values=_values(_newest(stream, index, log)))


def _newest(stream: Stream, index: Index, log: LogReader) -> pa.Table:
    batches: list[pa.RecordBatch] = []
    left = SAMPLE
    for entry in index.entries[::-1]:
        if left <= 0:
            break
        if count := int(entry["rows"][stream.part.value]):
            batch = log.read(entry, stream.part)
            batches.append(batch.slice(max(0, count - left)))
            left -= count
    return pa.Table.from_batches(batches, stream.schema.arrow)


def _values(sample: pa.Table) -> tuple[tuple[str, float], ...]:
    columns = zip(sample.column_names, sample.columns, strict=True)
    return tuple(
        (name.lower(), _rounded(different(column)))
        for name, column in columns
        if not pa.types.is_nested(column.type)
    )


def different(column: pa.ChunkedArray[Any]) -> float:
    """How many different values a column has of which these are some."""
    counts = pc.value_counts(column.drop_null()).field("counts").to_numpy()
    once, twice = (int((counts == often).sum()) for often in (1, 2))
    return float(len(counts) + once * (once - 1) / (2 * (twice + 1)))


def _rounded(number: float) -> float:
    """Two digits: what says more would only change texts."""
    return float(f"{number:.2g}")
