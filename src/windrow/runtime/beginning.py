"""What a query that starts finds in the logs, told in one line."""

from __future__ import annotations

from collections.abc import Mapping

from windrow.catalog import Stream
from windrow.language.names import counted
from windrow.log.stream_log import LogReader
from windrow.plan.history import NOTHING, History, history
from windrow.runtime.program import CompiledQuery


def beginning(query: CompiledQuery, logs: Mapping[str, LogReader]) -> str:
    """With what of the past the query starts, and whether that fills its windows."""
    held = history(query.plan)
    past = " and ".join(
        f"{counted(_tuples(stream, logs[stream.log]), 'tuple')} of {stream.name}"
        for stream in query.streams
    )
    told = f"{query.name} starts with {past} from the log"
    if all(each == NOTHING for each in held.values()):
        return told
    full = all(_fills(stream, logs[stream.log], each) for stream, each in held.items())
    return f"{told}: its windows {'are full' if full else 'may not be full yet'}"


def _tuples(stream: Stream, log: LogReader) -> int:
    return int(log.index().of_part(stream).rows.sum())


def _fills(stream: Stream, log: LogReader, held: History) -> bool:
    """Whether the log goes back as far as windows of time hold, or to its beginning."""
    index = log.index()
    if index.first == 0:
        return True
    part = index.of_part(stream)
    clock = index.clock_at(stream, index.end)
    oldest = part.min_ts[part.rows > 0].min(initial=clock)
    return not held.tuples and oldest <= clock - held.time
