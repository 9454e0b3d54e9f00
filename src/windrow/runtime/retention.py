"""Which entries of a stream log have to stay."""

from __future__ import annotations

import numpy as np

from windrow.catalog import Stream
from windrow.delta import BEGINNING
from windrow.log.index import Index, PartIndex
from windrow.plan.history import History


def first_kept(stream: Stream, index: Index, clock: int, history: History) -> int:
    """The position of the first entry that matters to a query that has seen all up to the clock, and to
    one that would start there with so much history."""
    part = index.of_part(stream)
    oldest = min(clock - history.time, _before_newest(part, clock, history.tuples))
    found = np.flatnonzero((part.rows > 0) & (part.max_ts > max(oldest, BEGINNING)))
    return index.first + int(found[0]) if len(found) else index.end


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
