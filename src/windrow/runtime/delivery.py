"""Which sink a query's changes go to, in the driver and in the workers that write its files."""

from __future__ import annotations

from pathlib import Path

from windrow.plan.patterns import Pattern
from windrow.plan.update_keys import update_key
from windrow.runtime.program import CompiledQuery
from windrow.sinks.base import FileSink, Sink
from windrow.sinks.callback import Callback
from windrow.sinks.memory import MEMORY_ROWS
from windrow.sinks.registry import open_sink

CALLBACK = "callback:"
MEMORY = "memory:"
WRITTEN_BY_WORKERS = ("file:", "blackhole:")


def sink_for(
    query: CompiledQuery,
    checkpoint: Path,
    into: str | Callback | None = None,
    memory_rows: int = MEMORY_ROWS,
) -> Sink:
    """The query's sink, not opened yet; `into` is the function, where it is one."""
    key = update_key(query.plan)
    return open_sink(
        query.text.sink if into is None else into,
        {"changelog": query.text.changelog, "memory_rows": memory_rows},
        append_only=query.plan.pattern is Pattern.MON,
        key=None if key is None else query.plan.schema.keep(key),
        owner=f"{checkpoint}#{query.name}-{query.text.born}",
    )


def file_sink(query: CompiledQuery, checkpoint: Path) -> FileSink | None:
    """The query's sink, if workers write its files."""
    if not query.text.sink.startswith(WRITTEN_BY_WORKERS):
        return None
    sink = sink_for(query, checkpoint)
    return sink if isinstance(sink, FileSink) else None
