"""Which entries of a stream log have to stay."""

from __future__ import annotations

import numpy as np

from windrow.catalog import Stamping, Stream
from windrow.delta import BEGINNING, NEVER
from windrow.log.index import Index, PartIndex
from windrow.plan.history import History


def first_kept(stream: Stream, index: Index, clock: int, history: History) -> int:
    """The position of the first entry that matters to a query that has seen all up to the clock, and to
    one that would start there with so much history."""
    part = index.of_part(stream)
    oldest = min(clock - history.time, _before_newest(part, clock, history.tuples))
    found = np.flatnonzero((part.rows > 0) & (part.max_ts > max(oldest, BEGINNING)))
    return index.first + int(found[0]) if len(found) else index.end


def oldest(stream: Stream, index: Index) -> int:
    """An instant that none of the stream's tuples is before: of those that are logged, on any of its parts,
    and of those that may still come. A stream without tuples has none in mind."""
    entries, has = index.entries, index.entries["rows"] > 0
    is_external = stream.stamping is Stamping.EXTERNAL
    stamped = has[:, 1:].any(axis=1) | (has[:, 0] & (not is_external))
    logged = min(entries["min_ts"].min(initial=NEVER), entries["stamp"][stamped].min(initial=NEVER))
    return int(min(logged, entries[-1]["clock"]) if is_external and has.any() else logged)


def _before_newest(part: PartIndex, clock: int, count: int) -> int:
    """An instant after which, up to the clock, there are at least so many tuples, if ever there were."""
    seen = np.flatnonzero((part.rows > 0) & (part.max_ts <= clock))[::-1]
    rows = np.cumsum(part.rows[seen])
    if not count or not len(rows):
        return clock
    if rows[-1] < count:
        return BEGINNING
    enough = seen[: int(np.searchsorted(rows, count)) + 1]
    return int(part.min_ts[enough].min()) - 1
