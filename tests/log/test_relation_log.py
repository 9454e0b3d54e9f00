"""Changes of relations among tuples: each is told once, and stands where it was made, however the work is
cut into batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import HandMovedWall
from tests.log.conftest import EXTERNAL, INTERNAL, LATENT, arrivals, items
from windrow.catalog import Relation, Stream
from windrow.delta import BEGINNING
from windrow.log.file_log import FileLog
from windrow.log.index import Index
from windrow.log.inlet import StreamInlet
from windrow.log.reading import Slice, Span
from windrow.log.relation_log import SignedRows, Stamp, append, newest_stamp, read_entries, relation_schemas
from windrow.log.standing import standing
from windrow.log.stream_log import MemoryLog, StreamLog

TABLE = Relation("T", EXTERNAL.schema.keep(["item"]))
END = 2**62


def signed(*rows: int) -> SignedRows:
    """A row is entered by its number, and leaves by the same with a minus."""
    sign = np.sign(np.array(rows)).astype(np.int8)
    return SignedRows(items(*map(abs, rows)), sign)


@dataclass
class World:
    """Streams and a relation, and all that happened to them in order."""

    streams: list[Stream]
    wall: HandMovedWall = field(default_factory=HandMovedWall)
    table: MemoryLog = field(default_factory=MemoryLog)
    moments: list[Mapping[str, int]] = field(default_factory=lambda: [{}])
    stamp: Stamp = field(default_factory=Stamp)

    def __post_init__(self) -> None:
        self.logs = {stream.log: MemoryLog() for stream in self.streams}
        self.inlets = [StreamInlet(each, self.logs[each.log], now=self.wall) for each in self.streams]

    @property
    def seen(self) -> dict[str, Index]:
        everything = {**self.logs, TABLE.log: self.table}
        return {name: log.index() for name, log in everything.items()}

    def happens(self, which: int, ts: int | None) -> None:
        """A tuple with this timestamp on a stream; an advance to the end; or a change."""
        self.wall.move(1)
        if which == len(self.inlets):
            with standing(self.inlets) as stamp:
                self.stamp = self.stamp.or_later(stamp)
                append(self.table, signed(len(self.table.index().entries) + 1), self.stamp, self.wall.now)
        elif ts is None:
            self.inlets[which].advance(END)
        else:
            inlet = self.inlets[which]
            inlet.accept(arrivals((1, ts)) if inlet.stream.brings_timestamps else items(1))
        self.moments.append({name: index.end for name, index in self.seen.items()})

    def spans(self, cuts: Sequence[int]) -> list[Span]:
        """Batches that end at these moments."""
        chosen = [self.moments[min(cut, len(self.moments) - 1)] for cut in sorted(cuts)]
        offsets = [{}, *chosen, self.moments[-1]]
        return [Span.of(self.streams, self.seen, *pair, [TABLE]) for pair in pairwise(offsets)]

    def told(self, span: Span) -> list[tuple[int, int]]:
        """The instant and the row of each change that a batch brings."""
        delta = span.read_updates(0, {TABLE.log: self.table}, ["item"], Slice())
        assert delta.sign is not None
        assert delta.clock == span.clock
        return list(zip(delta.ts.tolist(), delta.rows["item"].to_pylist(), strict=True))


KINDS = st.lists(
    st.sampled_from([EXTERNAL, replace(EXTERNAL, name="S2", slack=5), INTERNAL, LATENT]),
    min_size=1,
    max_size=3,
    unique_by=lambda stream: stream.name,
)
EVENTS = st.lists(st.tuples(st.integers(0, 3), st.one_of(st.integers(0, 30), st.none())), max_size=25)
CUTS = st.lists(st.integers(0, 25), max_size=4)


@given(KINDS, EVENTS, CUTS)
@settings(deadline=None, max_examples=200)
def test_changes_are_told_once_in_order_when_the_clock_reaches_them(
    streams: list[Stream], events: list[tuple[int, int | None]], cuts: list[int]
) -> None:
    world = World(streams)
    for which, ts in events:
        world.happens(min(which, len(streams)), ts)
    (whole,) = world.spans([])
    at_once = world.told(whole)
    assert [row for _, row in at_once] == list(range(1, len(at_once) + 1))
    batches = [(span, world.told(span)) for span in world.spans(cuts)]
    for span, changes in batches:
        assert all(span.before <= ts <= span.clock for ts, _ in changes)
    assert [row for _, changes in batches for _, row in changes] == [row for _, row in at_once]
    if not any(ts is None for _, ts in events):
        assert [change for _, changes in batches for change in changes] == at_once


@given(st.lists(st.one_of(st.integers(0, 30), st.just("change")), max_size=20))
@settings(deadline=None, max_examples=100)
def test_a_change_stands_between_the_tuples_before_it_and_the_newer_ones_after_it(
    events: list[int | str],
) -> None:
    world = World([EXTERNAL])
    before: list[int] = []
    after: dict[int, list[int]] = {}
    for event in events:
        if event == "change":
            world.happens(1, 0)
            after[len(after) + 1] = []
            continue
        ts = int(event)
        if ts < max(before, default=0):
            continue  # a late tuple counts for nothing
        world.happens(0, ts)
        before.append(ts)
        for tuples in after.values():
            tuples.append(ts)
    (span,) = world.spans([])
    for instant, row in world.told(span):
        older = before[: len(before) - len(after[row])]
        assert instant == max(older, default=BEGINNING)
        assert all(instant <= ts for ts in after[row])


def test_queries_go_by_the_time_of_their_streams() -> None:
    """A stream of old events is not kept waiting for changes that were made at noon. Without streams it is
    the wall's time that counts."""
    world = World([EXTERNAL, LATENT])
    world.happens(0, 7)
    world.happens(1, 0)
    world.happens(2, 0)
    noon = world.wall.now - 1
    end = world.moments[-1]

    def instants(*streams: Stream) -> list[int]:
        span = Span.of(streams, world.seen, {}, end, [TABLE])
        return [int(stamp) for stamp in span.relations[0].stamps]

    assert instants(EXTERNAL) == [7]
    assert instants(LATENT) == [noon]
    assert instants() == [world.wall.now]
    assert instants(EXTERNAL, LATENT) == []
    assert Span.of([], world.seen, {}, end, [TABLE]).clock == world.wall.now


def test_changes_after_the_end_of_time_are_told_at_it() -> None:
    world = World([EXTERNAL])
    world.happens(0, 7)
    world.happens(0, None)
    world.happens(1, 0)
    first, second = world.spans([2])
    assert (first.clock, world.told(first)) == (END, [])
    assert world.told(second) == [(END, 1)]


def test_before_any_tuple_it_is_the_beginning_of_time() -> None:
    world = World([EXTERNAL])
    world.happens(1, 0)
    (span,) = world.spans([])
    assert (span.clock, world.told(span)) == (BEGINNING, [(BEGINNING, 1)])


def test_only_the_first_slice_has_the_changes() -> None:
    world = World([EXTERNAL])
    world.happens(1, 0)
    (span,) = world.spans([])
    logs = {TABLE.log: world.table}
    shares = [span.read_updates(0, logs, ["item"], Slice(number, 3)) for number in range(3)]
    assert [len(share) for share in shares] == [1, 0, 0]
    assert all(share.rows.schema == TABLE.schema.arrow for share in shares)
    assert span.rows == 1


@pytest.fixture
def table_log(tmp_path: Path) -> StreamLog:
    return FileLog(tmp_path / "log", relation_schemas(TABLE))


def test_a_log_on_disk_gives_back_what_was_appended(table_log: StreamLog, tmp_path: Path) -> None:
    append(table_log, signed(1, 2), Stamp(5, 9), now=0)
    append(table_log, signed(-1, 3), Stamp(7, 9), now=0)
    table_log.close()
    again = FileLog(tmp_path / "log", relation_schemas(TABLE))
    index = again.index()
    changes = read_entries(again, index.entries, TABLE.schema.arrow)
    again.close()
    assert newest_stamp(index) == Stamp(7, 9)
    assert changes.rows == pa.table({"item": pa.array([1, 2, 1, 3], pa.int32())})
    assert changes.sign.tolist() == [1, 1, -1, 1]
