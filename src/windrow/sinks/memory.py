"""A sink in memory: what changed since it was last asked, and the answer as it stands.

What it keeps is bounded by `memory_rows`. What does not fit is dropped, counted, and told to whoever
asks next: an answer or a changelog with a hole in it is never given as if it were whole.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.delta import BEGINNING, Delta, concat
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks.base import Sink
from windrow.sinks.changelog import Changelog

MEMORY_ROWS = 10_000_000
Weights = npt.NDArray[np.int64]
_WEIGHT, _PLACE = "__weight", "__place"


class MemorySink(Sink):
    """`memory:`, and what a query's own `changes()` and `answer()` read. Threads may share it."""

    def __init__(self, changelog: Changelog | None = None, memory_rows: int = MEMORY_ROWS) -> None:
        self._changelog = changelog or Changelog()
        self._unread = Unread(memory_rows)
        self._live = LiveRows(memory_rows)
        self._schema: pa.Schema | None = None
        self._clock = BEGINNING
        self._last_batch = -1
        self._lock = threading.Lock()

    def open(self, schema: Schema) -> None:
        self._schema = schema.arrow

    def write(self, batch: int, delta: Delta) -> None:
        with self._lock:
            if batch <= self._last_batch:
                return
            self._last_batch = batch
            self._clock = max(self._clock, delta.clock)
            if len(delta):
                self._unread.add(delta)
                self._live.add(delta)

    @property
    def clock(self) -> int:
        """Up to where the changes and the answer are complete."""
        with self._lock:
            return self._clock

    def changes(self) -> pa.Table:
        """The changes that came since the last call; see Changelog for the columns.

        Raises SinkError, once, when some had to be dropped since then; the next call gives those
        that were kept.
        """
        with self._lock:
            deltas = self._unread.take()
            schema = self._schema_now()
        return self._changelog.full(concat(deltas)) if deltas else self._changelog.empty(schema)

    def answer(self) -> pa.Table:
        """The rows that entered and have not left, copies counted."""
        with self._lock:
            return self._live.rows(self._schema_now())

    def _schema_now(self) -> pa.Schema:
        if self._schema is None:
            raise SinkError("this memory sink is not open yet", hint="it opens when its query starts")
        return self._schema


class Unread:
    """Changes that nobody has fetched yet: the newest, at most `limit` rows of them."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._deltas: deque[Delta] = deque()
        self._rows = 0
        self._dropped = 0

    def add(self, delta: Delta) -> None:
        self._deltas.append(delta)
        self._rows += len(delta)
        while self._rows > self._limit:
            self._drop(min(len(self._deltas[0]), self._rows - self._limit))

    def _drop(self, count: int) -> None:
        oldest = self._deltas.popleft()
        if count < len(oldest):
            self._deltas.appendleft(oldest.take(np.arange(count, len(oldest))))
        self._rows -= count
        self._dropped += count

    def take(self) -> list[Delta]:
        if self._dropped:
            dropped, self._dropped = self._dropped, 0
            raise SinkError(
                f"the oldest {dropped:,} changes were dropped: nobody fetched them, and"
                f" no more than memory_rows = {self._limit:,} are kept",
                hint="call changes() more often or raise memory_rows; the next call gives those kept",
            )
        deltas = list(self._deltas)
        self._deltas.clear()
        self._rows = 0
        return deltas


class LiveRows:
    """A multiset of rows, kept as rows with weights and put together when it pays or is asked for.

    A weight below zero is a delete whose insert has not come yet.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: list[tuple[pa.Table, Weights]] = []
        self._settled = 0
        """Rows in the first piece as of the last settling, and in `_loose` those after it."""
        self._loose = 0
        self._overflowed = False

    def add(self, delta: Delta) -> None:
        if self._overflowed:
            return
        ones = np.ones(len(delta), np.int64)
        self._pieces.append((delta.rows, ones if delta.sign is None else delta.sign.astype(np.int64)))
        self._loose += len(delta)
        if self._loose > max(self._settled, self._limit // 100):
            self._settle()

    def rows(self, schema: pa.Schema) -> pa.Table:
        self._settle()
        if self._overflowed:
            raise SinkError(
                f"the answer has outgrown memory_rows = {self._limit:,} rows and was given up",
                hint="raise memory_rows, or write the query's result to files: INSERT INTO 'file:///…'",
            )
        if not self._pieces:
            return schema.empty_table()
        rows, weights = self._pieces[0]
        if bool((weights == 1).all()):
            return rows
        return rows.take(np.repeat(np.arange(len(weights)), np.maximum(weights, 0)))

    def _settle(self) -> None:
        if self._loose:
            rows, weights = _consolidated(self._pieces)
            self._settled, self._loose = len(rows), 0
            self._pieces = [(rows, weights)] if len(rows) else []
            self._overflowed = int(weights[weights > 0].sum()) > self._limit
        if self._overflowed:
            self._pieces = []


def _consolidated(pieces: Sequence[tuple[pa.Table, Weights]]) -> tuple[pa.Table, Weights]:
    rows = pa.concat_tables([rows for rows, _ in pieces]).combine_chunks()
    weights = np.concatenate([weights for _, weights in pieces])
    if not len(weights) or bool(weights.min() >= 0):
        return rows, weights
    return _summed(rows, weights)


def _summed(rows: pa.Table, weights: Weights) -> tuple[pa.Table, Weights]:
    """Equal rows as one with the sum of their weights, where the first of them stood."""
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in rows.column_names)
    weighted = rows.append_column(_WEIGHT, pa.array(weights)).append_column(
        _PLACE, pa.array(np.arange(len(weights)))
    )
    with duckdb.connect() as connection:
        places = (
            connection.from_arrow(weighted)
            .aggregate(f"sum({_WEIGHT})::BIGINT AS {_WEIGHT}, min({_PLACE}) AS {_PLACE}", columns)
            .filter(f"{_WEIGHT} <> 0")
            .order(_PLACE)
            .project(f"{_WEIGHT}, {_PLACE}")
            .to_arrow_table()
        )
    return rows.take(places[_PLACE].combine_chunks()), places[_WEIGHT].to_numpy()
