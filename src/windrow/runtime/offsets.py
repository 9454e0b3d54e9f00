"""How far a batch may go."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from windrow.log.reading import Offsets
from windrow.log.stream_log import LogReader
from windrow.runtime.execution import NUMBER, PROGRAM


def next_offsets(
    start: Offsets,
    logs: Mapping[str, LogReader],
    relations: Mapping[str, LogReader],
    version: int,
    rows: int,
) -> dict[str, int] | None:
    """The end of the batch that starts here, or None while there is nothing new.

    It brings each stream at most so many rows, or one entry. Relations are looked at last, and brought
    whole: so a tuple that was logged after a change of one never comes in a batch before it.
    """
    ends = {name: _furthest(log, start.get(name, 0), rows) for name, log in logs.items()}
    ends |= {name: max(start.get(name, 0), log.index().end) for name, log in relations.items()}
    if version == start.get(PROGRAM, 0) and all(end <= start.get(name, 0) for name, end in ends.items()):
        return None
    return {**ends, PROGRAM: version, NUMBER: start.get(NUMBER, 0) + 1}


def rows_between(start: Offsets, end: Offsets, logs: Mapping[str, LogReader]) -> int:
    """How many rows were logged between two offsets."""
    return sum(_rows(log, start.get(name, 0), end.get(name, 0)) for name, log in logs.items())


def _furthest(log: LogReader, start: int, rows: int) -> int:
    index = log.index()
    inside = index.between(start, index.end)
    brought = np.cumsum(inside.entries["rows"].sum(axis=1))
    if not len(brought) or brought[-1] <= rows:
        return max(start, index.end)
    return inside.first + max(1, int(np.searchsorted(brought, rows, side="right")))


def _rows(log: LogReader, start: int, end: int) -> int:
    return int(log.index().between(start, end).entries["rows"].sum())
