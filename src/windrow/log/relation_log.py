"""The log of a relation: what each statement changed, as signed rows with the instant that it counts from.

A relation log is a stream log whose entries hold nothing but rows: one entry for each statement, with
a sign beside every row. Its rows have no timestamps of their own. The entry has two, the newest event
time that the database knew and the newest instant that it had stamped tuples with; a query goes by
the one that its streams go by, or by the later. One without streams goes by the clock on the wall, as it
was when the statement ran.

A new query sees the whole relation, as of each tuple of the history. So entries are never dropped; but
those that all tuples come after, and all queries have been told, are folded into one: what the relation
held after them, counting from the first of them on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from windrow.catalog import Part, Relation, Stream
from windrow.delta import BEGINNING, Delta, Instants, Signs
from windrow.log.index import Entries, Index
from windrow.log.stream_log import LogReader, StreamLog, Times

_SIGN = "__sign"
_NOTHING = pa.schema([])


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where all streams were when a statement ran."""

    event: int = BEGINNING
    """The newest timestamp that a tuple brought."""
    system: int = BEGINNING
    """The newest that the system gave."""

    @property
    def latest(self) -> int:
        return max(self.event, self.system)

    def or_later(self, other: Stamp) -> Stamp:
        return Stamp(max(self.event, other.event), max(self.system, other.system))


@dataclass(frozen=True, slots=True)
class SignedRows:
    """Rows that enter a relation, and rows that leave it."""

    rows: pa.Table
    sign: Signs

    def __len__(self) -> int:
        return len(self.sign)


def relation_schemas(relation: Relation) -> tuple[pa.Schema, pa.Schema, pa.Schema]:
    """What a relation's log holds, in the place of what a stream's does."""
    return relation.schema.arrow.append(pa.field(_SIGN, pa.int8())), _NOTHING, _NOTHING


def append(log: StreamLog, changes: SignedRows, stamp: Stamp, now: int) -> None:
    """Add what a statement changed; it is durable when this returns."""
    entries = log.index().entries
    times = Times(
        min_ts=stamp.event,
        max_ts=stamp.event,
        clock=stamp.latest,
        floor=BEGINNING,
        stamp=stamp.system,
        last_stamp=stamp.system,
        arrived=max(now, int(entries[-1]["arrived"])) if len(entries) else now,
    )
    with log.lock:
        log.append((_batch(changes), None, None), times)


def newest_stamp(index: Index) -> Stamp:
    """The stamp of the newest entry."""
    if not len(index.entries):
        return Stamp()
    last = index.entries[-1]
    return Stamp(int(last["max_ts"]), int(last["last_stamp"]))


def clock_at(index: Index, position: int) -> int:
    """How far a query over relations alone is when the log ended at that position."""
    return (
        BEGINNING if position <= index.first else int(index.entries[position - 1 - index.first]["arrived"])
    )


def read_entries(log: LogReader, entries: Entries, schema: pa.Schema) -> SignedRows:
    """The rows of some entries, one after another."""
    batches = [log.read(entry, Part.TUPLES) for entry in entries[entries["rows"][:, 0] > 0]]
    table = pa.Table.from_batches(batches, schema.append(pa.field(_SIGN, pa.int8())))
    return SignedRows(table.drop_columns([_SIGN]), table[_SIGN].to_numpy())


def first_untold(streams: Sequence[Stream], index: Index, start: int, before: int) -> int:
    """The position of the first entry that a query over these streams was not told when its clock was at
    `before` and the log ended at `start`. Stamps never fall, so it was told all before."""
    stamp = _stamp(streams)
    told = bisect_right(index.entries, before, key=lambda entry: int(entry[stamp]))
    return min(index.first + told, max(start, index.first))


def first_amid(index: Index, oldest: int) -> int:
    """The position of the first entry that does not come before a tuple as old as this in any time. The
    last entry is never before it: it has the newest stamp."""
    before = int(np.searchsorted(index.entries["clock"], oldest))
    return index.first + max(0, min(before, len(index.entries) - 1))


def outweighs(index: Index, position: int, least: int) -> bool:
    """Whether more rows changed up to a position than so many, and than there were in the first entry."""
    rows = index.entries["rows"][: max(0, position - index.first), 0]
    return bool(rows[1:].sum() > max([least, *rows[:1]]))


def fold(log: StreamLog, position: int, content: SignedRows) -> None:
    """Put what a relation held at a position in the place of the entries before it."""
    with log.lock:
        index = log.index()
        first, last = (index.entries[place] for place in (0, position - 1 - index.first))
        names = ("min_ts", "max_ts", "clock", "floor", "stamp", "last_stamp")
        times = Times(**{name: int(first[name]) for name in names}, arrived=int(last["arrived"]))
        log.fold(position, (_batch(content), None, None), times)


def _batch(changes: SignedRows) -> pa.RecordBatch | None:
    table = changes.rows.append_column(_SIGN, pa.array(changes.sign)).combine_chunks()
    return next(iter(table.to_batches()), None)


@dataclass(frozen=True, slots=True)
class Updates:
    """What a batch brings a query of a relation: entries, and the instant at which each is told."""

    relation: Relation
    entries: Entries
    stamps: Instants
    clock: int

    @classmethod
    def of(
        cls,
        relation: Relation,
        streams: Sequence[Stream],
        index: Index,
        start: int,
        end: int,
        before: int,
        clock: int,
    ) -> Updates:
        """The entries up to a position that the clock has reached, and that were not told when it was at
        `before` and the log ended at `start`."""
        inside, stamp = index.between(index.first, end), _stamp(streams)
        reached = bisect_right(inside.entries, clock, key=lambda entry: int(entry[stamp]))
        entries = inside.entries[first_untold(streams, inside, start, before) - inside.first : reached]
        return cls(relation, entries, np.maximum(entries[stamp].astype(np.int64), before), clock)

    @property
    def rows(self) -> int:
        return int(self.entries["rows"][:, 0].sum())

    def read(self, log: LogReader, columns: Sequence[str]) -> Delta:
        """The changes in the order in which they were made."""
        changes = read_entries(log, self.entries, self.relation.schema.arrow)
        ts = np.repeat(self.stamps, self.entries["rows"][:, 0])
        return Delta(self.clock, changes.rows.select(list(columns)), ts, sign=changes.sign)


def _stamp(streams: Sequence[Stream]) -> str:
    """What of an entry is its instant, in the time that a query over these streams goes by."""
    if not streams:
        return "arrived"
    kinds = {stream.brings_timestamps for stream in streams}
    if len(kinds) > 1:
        return "clock"
    return "max_ts" if True in kinds else "last_stamp"
