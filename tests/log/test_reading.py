"""Random streams in random batches and slices: every accepted tuple once, in time order.

The reference is what the log holds, sorted by time: which tuples are accepted is another test's matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import HandMovedWall
from tests.log.conftest import EXTERNAL, INTERNAL, LATENT, arrivals, items
from windrow.catalog import Part, Stamping, Stream
from windrow.delta import BEGINNING
from windrow.log.index import Index
from windrow.log.inlet import StreamInlet
from windrow.log.reading import Slice, Span
from windrow.log.stream_log import MemoryLog

KINDS = [
    *(replace(EXTERNAL, slack=slack) for slack in (0, 5, 40)),
    INTERNAL,
    LATENT,
]


_ARRIVALS = st.one_of(st.lists(st.integers(0, 100), max_size=6), st.integers(0, 110))
"""Timestamps of tuples, or an instant to advance to."""


@dataclass
class World:
    """Streams that have had arrivals, and how far their logs were at several moments."""

    streams: list[Stream]
    logs: dict[str, MemoryLog]
    moments: list[Mapping[str, int]]

    @property
    def seen(self) -> dict[str, Index]:
        return {name: log.index() for name, log in self.logs.items()}

    def arrived(self, stream: Stream) -> list[tuple[int, int]]:
        """(timestamp, item) of each tuple in the log, in arrival order."""
        log = self.logs[stream.log]
        found: list[tuple[int, int]] = []
        for entry in log.index().entries:
            if entry["rows"][Part.TUPLES.value]:
                batch = log.read(entry, Part.TUPLES)
                stamps = range(int(entry["stamp"]), int(entry["stamp"]) + batch.num_rows)
                ts = as_list(batch["at"]) if stream.name.startswith("S") else stamps
                found += zip(ts, as_list(batch["item"]), strict=True)
        return found


@st.composite
def worlds(draw: st.DrawFn) -> World:
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3))
    wall = HandMovedWall(50)
    streams = [replace(kind, name=f"{kind.name}{place}") for place, kind in enumerate(kinds)]
    logs = {stream.log: MemoryLog() for stream in streams}
    inlets = [StreamInlet(stream, logs[stream.log], now=wall) for stream in streams]
    moments: list[Mapping[str, int]] = [{}]
    item = 0
    for inlet_number, tuples in draw(st.lists(st.tuples(st.integers(0, 2), _ARRIVALS), max_size=12)):
        inlet = inlets[inlet_number % len(inlets)]
        if isinstance(tuples, int):
            inlet.advance(tuples)
        else:
            numbers = range(item, item + len(tuples))
            item += len(tuples)
            external = inlet.stream.stamping is Stamping.EXTERNAL
            inlet.accept(arrivals(*zip(numbers, tuples, strict=True)) if external else items(*numbers))
        wall.move(draw(st.integers(-3, 9)))
        if draw(st.booleans()):
            moments.append({name: log.index().end for name, log in logs.items()})
    moments.append({name: log.index().end for name, log in logs.items()})
    return World(streams, logs, moments)


def read(world: World, which: int, span: Span, slices: int) -> list[tuple[int, int]]:
    """What a batch brings of one stream, slice after slice."""
    found: list[tuple[int, int]] = []
    for number in range(slices):
        delta = span.read(which, world.logs, ["item"], Slice(number, slices))
        assert delta.clock == span.clock
        found += zip(delta.ts.tolist(), as_list(delta.rows["item"]), strict=True)
    return found


def as_list(column: pa.ChunkedArray[Any] | pa.Array[Any]) -> list[int]:
    numbers: list[Any] = column.cast(pa.int64()).to_pylist()
    return numbers


@given(worlds(), st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_batches_and_slices_bring_each_tuple_once_in_time_order(world: World, slices: int) -> None:
    spans = [Span.of(world.streams, world.seen, *moments) for moments in pairwise(world.moments)]
    assert all(earlier.clock == later.before for earlier, later in pairwise(spans))
    assert all(span.before <= span.clock for span in spans)
    assert spans[0].before == BEGINNING
    for which, stream in enumerate(world.streams):
        brought = [each for span in spans for each in read(world, which, span, slices)]
        reached = [each for each in world.arrived(stream) if each[0] <= spans[-1].clock]
        assert brought == sorted(reached, key=lambda each: each[0])


@given(worlds())
@settings(max_examples=50, deadline=None)
def test_a_late_comer_reads_all_of_history_at_once(world: World) -> None:
    span = Span.of(world.streams, world.seen, {}, world.moments[-1])
    assert span.rows >= sum(len(read(world, which, span, 1)) for which in range(len(world.streams)))
    for which, stream in enumerate(world.streams):
        reached = [each for each in world.arrived(stream) if each[0] <= span.clock]
        assert read(world, which, span, 3) == sorted(reached, key=lambda each: each[0])


@given(worlds(), st.integers(0, 20))
@settings(max_examples=50, deadline=None)
def test_what_was_dropped_and_is_not_needed_changes_nothing(world: World, position: int) -> None:
    """Entries whose tuples are all up to the clock before a batch are not read by it."""
    before, after = world.moments[-2:]
    span = Span.of(world.streams, world.seen, before, after)
    expected = [read(world, which, span, 2) for which in range(len(world.streams))]
    for stream in world.streams:
        index = world.logs[stream.log].index().between(0, before.get(stream.log, 0))
        needed = [place for place, ts in enumerate(index.of_part(stream).max_ts) if ts > span.before]
        world.logs[stream.log].drop_before(min([position, *needed, len(index.entries)]))
    again = Span.of(world.streams, world.seen, before, after)
    assert [read(world, which, again, 2) for which in range(len(world.streams))] == expected


def test_late_tuples_read_as_a_stream_in_arrival_order() -> None:
    log = MemoryLog()
    inlet = StreamInlet(EXTERNAL, log, now=HandMovedWall(100))
    inlet.accept(arrivals((1, 50), (2, 40), (3, 45)))
    inlet.accept(arrivals((4, 30)))
    span = Span.of([EXTERNAL.late], {EXTERNAL.log: log.index()}, {}, {EXTERNAL.log: 2})
    delta = span.read(0, {EXTERNAL.log: log}, ["item"], Slice())
    assert (as_list(delta.rows["item"]), delta.ts.tolist()) == ([2, 3, 4], [101, 102, 103])


def test_one_entry_is_cut_into_slices_too() -> None:
    log = MemoryLog()
    inlet = StreamInlet(EXTERNAL, log, now=HandMovedWall())
    inlet.accept(arrivals(*((number, number) for number in range(10_000))))
    inlet.advance(20_000)
    span = Span.of([EXTERNAL], {EXTERNAL.log: log.index()}, {}, {EXTERNAL.log: 2})
    shares = [
        len(span.read(0, {EXTERNAL.log: log}, ["item"], Slice(number, 4)).rows) for number in range(4)
    ]
    assert sum(shares) == 10_000
    assert min(shares) > 1000
