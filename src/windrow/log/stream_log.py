"""The stream log: what arrived, in arrival order, where it can be read again.

Every source writes here and every query reads here. A log is written by one process; any process
may read it. `MemoryLog` keeps it in memory; `FileLog` in segments on disk (an index file and a data
file each), durable before `append` returns.
"""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.catalog import Part, Stream
from windrow.log.index import ENTRY, PARTS, Entries, Index

Position = Mapping[str, Any]
"""How far a source was read: small, and JSON."""

Payload = tuple[pa.RecordBatch | None, pa.RecordBatch | None, pa.RecordBatch | None]
"""One batch for each part; None where the part is empty."""

NOTHING: Payload = (None, None, None)


@dataclass(frozen=True, slots=True)
class Times:
    """What an entry says of time, in the words of the index."""

    min_ts: int
    max_ts: int
    clock: int
    floor: int
    stamp: int
    last_stamp: int
    arrived: int


class LogReader(ABC):
    """A log as a query sees it."""

    @abstractmethod
    def index(self) -> Index:
        """All entries that are there now."""

    @abstractmethod
    def read(self, entry: Any, part: Part) -> pa.RecordBatch:
        """The rows of one part of an entry that has some."""


class StreamLog(LogReader):
    """A log that this process writes. Appending is safe from any thread."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.position: Position | None = None
        """How far the source was read, as of the last entry."""

    @abstractmethod
    def append(self, payload: Payload, times: Times, position: Position | None = None) -> None:
        """Add an entry; it is there, whole, when this returns. The caller holds `lock`."""

    @abstractmethod
    def drop_before(self, position: int) -> None:
        """Give back space that only entries before this position use; the last of them stays, because
        it holds the clock that the stream had there."""

    @abstractmethod
    def fold(self, position: int, payload: Payload, times: Times) -> None:
        """Put one entry in the place of at least two before this position; it takes the position of the
        last of them. The caller holds `lock`."""

    def close(self) -> None:
        """Give back what the log holds open."""


def record(payload: Payload, times: Times, totals: Entries) -> Entries:
    """An index record without its place on disk."""
    entry = np.zeros((), ENTRY)
    entry["rows"] = [0 if batch is None else batch.num_rows for batch in payload]
    entry["totals"] = totals + entry["rows"]
    for name in ("min_ts", "max_ts", "clock", "floor", "stamp", "last_stamp", "arrived"):
        entry[name] = getattr(times, name)
    return entry


class GrowingIndex:
    """An index that one thread extends while others look; what they got stays valid."""

    def __init__(self, found: Index) -> None:
        self._guard = threading.Lock()
        self._first = found.first
        self._array = found.entries
        self._size = len(found.entries)

    def add(self, entry: Entries) -> None:
        with self._guard:
            if self._size == len(self._array):
                grown = np.zeros(max(64, 2 * self._size), ENTRY)
                grown[: self._size] = self._array
                self._array = grown
            self._array[self._size] = entry
            self._size += 1

    def drop_before(self, position: int) -> None:
        with self._guard:
            count = max(0, min(position - self._first, self._size))
            self._array = self._array[count:]
            self._size -= count
            self._first += count

    def fold(self, position: int, entry: Entries, rest: Entries) -> None:
        """One entry in the place of those before a position, and what follows it as it is now."""
        with self._guard:
            self._first, self._array = position - 1, np.append(entry, rest)
            self._size = len(self._array)

    def snapshot(self) -> Index:
        with self._guard:
            return Index(self._first, self._array[: self._size])

    @property
    def totals(self) -> Entries:
        return self._array[self._size - 1]["totals"] if self._size else np.zeros(len(PARTS), np.int64)


class MemoryLog(StreamLog):
    """A log that ends with the process."""

    def __init__(self) -> None:
        super().__init__()
        self._index = GrowingIndex(Index(0, np.zeros(0, ENTRY)))
        self._payloads: dict[int, Payload] = {}
        self._added = 0

    def append(self, payload: Payload, times: Times, position: Position | None = None) -> None:
        entry = record(payload, times, self._index.totals)
        entry["segment"] = self._added
        entry["lengths"] = [0 if batch is None else batch.nbytes for batch in payload]
        self._payloads[self._added] = payload
        self._added += 1
        self._index.add(entry)
        self.position = position if position is not None else self.position

    def index(self) -> Index:
        return self._index.snapshot()

    def read(self, entry: Any, part: Part) -> pa.RecordBatch:
        batch = self._payloads[int(entry["segment"])][part.value]
        if batch is None:
            raise LookupError(f"the entry has no {part.name.lower()} rows")
        return batch

    def drop_before(self, position: int) -> None:
        kept = min(position, self._added) - 1
        first = self._index.snapshot().first
        self._index.drop_before(kept)
        for gone in range(first, kept):
            del self._payloads[gone]

    def fold(self, position: int, payload: Payload, times: Times) -> None:
        index = self._index.snapshot()
        entry, rest = folded(payload, times, index, position)
        entry["segment"] = -position  # a name that no other entry has had
        self._payloads[-position] = payload
        self._index.fold(position, entry, rest)
        for gone in index.entries[: position - index.first]:
            del self._payloads[int(gone["segment"])]


def folded(payload: Payload, times: Times, index: Index, position: int) -> tuple[Entries, Entries]:
    """The record of an entry in the place of those before a position, and the records that follow it."""
    before, rest = np.split(index.entries, [position - index.first])
    entry = record(payload, times, np.zeros(len(PARTS), np.int64))
    entry["totals"] = before[-1]["totals"]
    return entry, rest.copy()


def position_bytes(position: Position | None) -> bytes:
    return b"" if position is None else json.dumps(position, separators=(",", ":")).encode()


def part_schemas(stream: Stream) -> tuple[pa.Schema, pa.Schema, pa.Schema]:
    """What a stream's log holds: tuples, late tuples, rejected input."""
    return stream.schema.arrow, stream.late.schema.arrow, stream.rejected.schema.arrow
