"""The index of a stream log: one fixed-size record for each entry.

An entry is what one hand-over of a source left: tuples in arrival order, tuples that were late,
input that was rejected, how far the source was read; or nothing but a step of the clock. Its
number is its *position*. An entry is complete or not there at all.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from windrow.catalog import Part, Stream
from windrow.delta import BEGINNING, Instants

PARTS = tuple(Part)

ENTRY = np.dtype(
    [
        ("segment", "<i8"),  # position of the first entry in the same data file
        ("offset", "<i8"),  # where in that file the entry's bytes start
        ("lengths", "<i8", (len(PARTS),)),  # bytes of each part, one after another
        ("extra", "<i8"),  # bytes of the source's position, behind the parts
        ("rows", "<i8", (len(PARTS),)),
        ("totals", "<i8", (len(PARTS),)),  # rows since the stream began, this entry's included
        ("min_ts", "<i8"),
        ("max_ts", "<i8"),
        ("clock", "<i8"),  # all tuples up to here are in, as far as anybody knows
        ("floor", "<i8"),  # older tuples than this come late from now on
        ("stamp", "<i8"),  # system time given to the first row; the next rows count on from it
        ("last_stamp", "<i8"),
        ("arrived", "<i8"),  # wall clock
        ("crc", "<u4"),  # of the entry's bytes
        ("check", "<u4"),  # of this record up to here
    ]
)
Entries = npt.NDArray[Any]
_CHECKED = ENTRY.itemsize - 4


def sealed(record: Entries) -> Entries:
    """The record with its own check sum filled in."""
    record["check"] = zlib.crc32(record.tobytes()[:_CHECKED])
    return record


def intact(entries: Entries) -> int:
    """How many entries from the front on are whole; a torn write can only be at the end."""
    count = len(entries)
    while count and zlib.crc32(entries[count - 1].tobytes()[:_CHECKED]) != entries[count - 1]["check"]:
        count -= 1
    return count


@dataclass(frozen=True, slots=True)
class PartIndex:
    """The times of one part's rows, entry by entry."""

    rows: Instants
    min_ts: Instants
    max_ts: Instants
    clock: Instants
    stamped_from: Instants | None
    """System timestamp of each entry's first row; None where a column holds the timestamps."""


@dataclass(frozen=True, slots=True)
class Index:
    """The entries from position `first` on, as they were when somebody looked."""

    first: int
    entries: Entries

    @property
    def end(self) -> int:
        return self.first + len(self.entries)

    def between(self, start: int, end: int) -> Index:
        begin = max(start, self.first)
        return Index(begin, self.entries[begin - self.first : max(begin, end) - self.first])

    def of_part(self, stream: Stream) -> PartIndex:
        """The part of the log that this stream reads."""
        entries = self.entries
        part = stream.part.value
        rows = entries["rows"][:, part]
        if stream.brings_timestamps:
            return PartIndex(rows, entries["min_ts"], entries["max_ts"], entries["clock"], None)
        stamps = entries["stamp"] + entries["rows"][:, :part].sum(axis=1)
        clock = entries["clock"] if part == 0 else entries["last_stamp"]
        return PartIndex(rows, stamps, stamps + rows - 1, clock, stamps)

    def clock_at(self, stream: Stream, position: int) -> int:
        """The stream's clock when the log ended at that position."""
        if position <= self.first:
            return BEGINNING
        entry = self.entries[position - 1 - self.first]
        return int(entry["clock"] if stream.part is Part.TUPLES else entry["last_stamp"])
