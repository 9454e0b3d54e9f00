"""Reading logs in time order: what a batch brings to a query.

A batch is a range of log positions for each stream. It brings to a query the tuples that the range
added, and those that were logged before and waited, because the query's clock (the smallest of its
streams' clocks) had not reached them. So reordering and merging need no state but the log. Batches
are cut into *slices* of time, which can be read at the same time in different places: each slice is
in time order, and comes before the next. Changes of relations never hold the clock back; the first
slice has them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.catalog import Relation, Stream
from windrow.delta import BEGINNING, NEVER, Delta, Instants, concat, in_time_order
from windrow.log.index import Entries, Index, PartIndex
from windrow.log.relation_log import Updates, clock_at
from windrow.log.stream_log import LogReader

Offsets = Mapping[str, int]
"""Log positions by the name of the log."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Part `number` of `count` equal shares of a batch, in time order."""

    number: int = 0
    count: int = 1


_POINTS = 8
"""A slice may end at so many instants within one entry."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The entries of one stream that may hold tuples of a batch."""

    stream: Stream
    entries: Entries
    part: PartIndex
    waiting: npt.NDArray[np.bool_]
    """Which of them were there before the batch; of these, tuples up to its old clock are done."""

    @classmethod
    def of(cls, stream: Stream, index: Index, start: int, end: int, before: int, clock: int) -> Candidates:
        inside = index.between(index.first, end)
        part = inside.of_part(stream)
        waiting = np.arange(inside.first, inside.end) < start
        wanted = (part.rows > 0) & (part.min_ts <= clock) & (~waiting | (part.max_ts > before))
        chosen = Index(inside.first, inside.entries[wanted])
        return cls(stream, chosen.entries, chosen.of_part(stream), waiting[wanted])


@dataclass(frozen=True, slots=True)
class Span:
    """What a query sees of its streams and relations in one batch: the clock goes from `before` to
    `clock`."""

    before: int
    clock: int
    streams: tuple[Candidates, ...]
    relations: tuple[Updates, ...] = ()

    @classmethod
    def of(
        cls,
        streams: Sequence[Stream],
        seen: Mapping[str, Index],
        start: Offsets,
        end: Offsets,
        relations: Sequence[Relation] = (),
    ) -> Span:
        """`seen` has the indexes of the logs, as they are at `end` or later."""

        def clock_of(offsets: Offsets) -> int:
            if streams:
                return min(seen[each.log].clock_at(each, offsets.get(each.log, 0)) for each in streams)
            told = [clock_at(seen[each.log], offsets.get(each.log, 0)) for each in relations]
            return max(told, default=BEGINNING)

        def places(each: Stream | Relation) -> tuple[Index, int, int]:
            return seen[each.log], start.get(each.log, 0), end.get(each.log, 0)

        clocks = before, clock = clock_of(start), clock_of(end)
        return cls(
            before,
            clock,
            tuple(Candidates.of(each, *places(each), *clocks) for each in streams),
            tuple(Updates.of(each, streams, *places(each), *clocks) for each in relations),
        )

    @property
    def rows(self) -> int:
        """How many tuples the batch brings, at the most."""
        updates = sum(relation.rows for relation in self.relations)
        return int(sum(stream.part.rows.sum() for stream in self.streams)) + updates

    def bounds(self, slice_: Slice) -> tuple[int, int]:
        """The slice's share of time: after the first instant, up to the second."""
        points = np.sort(np.concatenate([_points(stream.part) for stream in self.streams]))
        if slice_.count == 1 or not len(points):
            return (BEGINNING, self.clock) if slice_.number == 0 else (self.clock, self.clock)
        cuts = [int(points[len(points) * k // slice_.count]) for k in range(1, slice_.count)]
        edges = [BEGINNING, *(min(cut, self.clock) for cut in cuts), self.clock]
        return edges[slice_.number], edges[slice_.number + 1]

    def read(
        self, which: int, logs: Mapping[str, LogReader], columns: Sequence[str], slice_: Slice
    ) -> Delta:
        """The slice's tuples of one stream, in time order, complete up to the batch's clock."""
        after, upto = self.bounds(slice_)
        found = self.streams[which]
        log = logs[found.stream.log]
        pieces = [
            _cut(piece, max(after, self.before) if waits else after, upto)
            for waits, piece in zip(found.waiting, _pieces(found, log, columns), strict=True)
        ]
        pieces = [piece for piece in pieces if len(piece)]
        if not pieces:
            return Delta.empty(self.clock, found.stream.schema.keep(columns).arrow)
        return in_time_order(concat(pieces)).at(self.clock)

    def read_updates(
        self, which: int, logs: Mapping[str, LogReader], columns: Sequence[str], slice_: Slice
    ) -> Delta:
        """The changes of one relation, if this is the slice that has them."""
        updates = self.relations[which]
        if slice_.number:
            updates = replace(updates, entries=updates.entries[:0], stamps=updates.stamps[:0])
        return updates.read(logs[updates.relation.log], columns)


def _points(part: PartIndex) -> Instants:
    """Instants that divide the entries' tuples into shares of about equal size."""
    size = max(1, int(part.rows.sum()) // 1024)
    copies = np.maximum(1, np.minimum(_POINTS, part.rows // size))
    entry = np.repeat(np.arange(len(copies)), copies)
    step = np.arange(len(entry)) - np.repeat(np.cumsum(copies) - copies, copies) + 1
    points: Instants = part.min_ts[entry] + (part.max_ts - part.min_ts)[entry] // copies[entry] * step
    return points


def _pieces(found: Candidates, log: LogReader, columns: Sequence[str]) -> Iterator[Delta]:
    stream = found.stream
    stamped = found.part.stamped_from
    for number, entry in enumerate(found.entries):
        batch = log.read(entry, stream.part)
        if stamped is None:
            ts = batch.column(stream.time_column).view(pa.int64()).to_numpy()
        else:
            ts = stamped[number] + np.arange(batch.num_rows)
        yield Delta(NEVER, pa.Table.from_batches([batch.select(columns)]), ts)


def _cut(piece: Delta, after: int, upto: int) -> Delta:
    inside = (piece.ts > after) & (piece.ts <= upto)
    return piece if inside.all() else piece.take(inside)
