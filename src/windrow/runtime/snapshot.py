"""A question asked once: what a query's answer is over the windows as they are now.

It runs as a query does that starts now, over the history in the logs, and nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from windrow.delta import Delta, concat, in_time_order
from windrow.expressions.sorting import in_order
from windrow.log.stream_log import LogReader
from windrow.plan.answer_order import answer_order
from windrow.runtime.checkpoint import Checkpoint
from windrow.runtime.delivery import MEMORY
from windrow.runtime.execution import NUMBER, PROGRAM, Batch, Result, Work, run_here
from windrow.runtime.program import Program, QueryText
from windrow.runtime.state import MemoryState, Places
from windrow.schema import Schema
from windrow.sinks.memory import MemorySink


def snapshot(
    program: Program, text: QueryText, logs: Mapping[str, LogReader], checkpoint: Checkpoint
) -> pa.Table:
    """The answer of a query to all that has arrived."""
    asked = replace(program, queries=(replace(text, sink=MEMORY),))
    (query,) = asked.compiled()
    # Relations last, as in every batch: what a tuple may see of them is there when the tuple is.
    names = [stream.log for stream in query.streams] + [relation.log for relation in query.relations]
    read = {name: logs[name] for name in names}
    end = {name: log.index().end for name, log in read.items()}
    batch = Batch({}, {**end, PROGRAM: text.born, NUMBER: 1})
    places = Places(lambda _: MemoryState())
    results = run_here(Work(asked, batch, 1, checkpoint.path), read, places)
    answer = _answer(query.plan.schema, [each.content for each in results if isinstance(each, Result)])
    return in_order(answer, answer_order(query.plan))


def _answer(schema: Schema, contents: list[object]) -> pa.Table:
    sink = MemorySink()
    sink.open(schema)
    deltas = [each for each in contents if isinstance(each, Delta)]
    if deltas:
        sink.write(1, in_time_order(concat(deltas)))
    return sink.answer()
