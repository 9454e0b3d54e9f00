"""Sources whose tuples are computed: what `rate://` and `demo://` share.

The law: tuple number n depends on the URI and n alone, never on when or in what portions it was
handed over. So a position is the number of tuples handed over and the instant that event times
count from, and a restart goes on as if nothing had happened. That instant is logged before the
first tuple: sources that tell one story must not fall apart if one was stopped before its first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Event
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from windrow.catalog import Stream
from windrow.errors import SourceError
from windrow.log.stream_log import Position
from windrow.schema import Field, Schema
from windrow.sources.base import Inlet, Source
from windrow.sources.generator_options import GeneratorOptions
from windrow.sources.pacing import Clock, Pacer, WallClock

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Values: TypeAlias = "pa.ChunkedArray[Any]"
Columns: TypeAlias = "Mapping[str, Callable[[], pa.Array[Any]]]"

_SECOND = 1_000_000
_NO_HORIZON = -1


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive tuples: when each happens, and its columns, computed only if asked for."""

    times: Integers
    """Microseconds after the start; never falling."""
    columns: Columns


class Generator(ABC):
    """Computes the tuples of one stream, a block of `rows` tuples at a time."""

    columns: ClassVar[Schema]
    times: ClassVar[frozenset[str]]
    """Those of the columns that are the event time."""
    rows: int = 65_536

    @abstractmethod
    def block(self, number: int) -> Block:
        """Tuples number·rows up to (number + 1)·rows."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """Turns a place in the order of events into an event time."""

    rate: float
    burst: float = 1.0
    period: ClassVar[int] = 2 * _SECOND
    """A burst and the silence after it last so long together."""

    def micros(self, places: Floats | Integers) -> Integers:
        if self.burst == 1.0:
            return np.floor(places * 1e6 / self.rate).astype(np.int64)
        cycles = places / (self.rate * self.period / 1e6)
        whole = np.floor(cycles)
        return np.floor((whole + (cycles - whole) / self.burst) * self.period).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Feed:
    """A generator fitted to a stream: which of its columns fills which of the stream's."""

    generator: Generator
    stream: Stream
    filling: Mapping[str, str]
    uri: str

    @classmethod
    def fit(cls, generator: Generator, stream: Stream, filling: Mapping[str, str], uri: str) -> Feed:
        """Raise if a column is declared with a type that what fills it cannot take."""
        for field in stream.arriving:
            native = generator.columns.find(filling[field.name])
            assert native is not None
            if not _castable(native.arrow.type, field.arrow.type):
                raise SourceError(
                    f"{uri}: column {field.name} of {stream.name} is {field.type}, "
                    f"but the source has {native.name} as {native.type}",
                    hint=f"declare it as {native.type} and CAST in a query",
                )
        return cls(generator, stream, filling, uri)

    def table(self, block: Block, start: int) -> pa.Table:
        """A block under the names that the stream declares, told from `start` on."""
        names = self.stream.arriving.names
        return pa.table({name: self._native(self.filling[name], block, start) for name in names})

    def typed(self, rows: pa.Table) -> pa.Table:
        """Rows with the types that the stream declares."""
        arriving = self.stream.arriving
        columns = [self._cast(rows[field.name], field) for field in arriving]
        return pa.Table.from_arrays(columns, schema=arriving.arrow)

    def _cast(self, values: Values, field: Field) -> Values:
        try:
            return _cast(values, field.arrow.type)
        except pa.ArrowInvalid as error:
            raise SourceError(
                f"{self.uri}: a value is too large for column {field.name} {field.type} "
                f"of {self.stream.name}",
                hint="declare the column with a larger type",
            ) from error

    def _native(self, name: str, block: Block, start: int) -> pa.Array[Any]:
        if name in self.generator.times:
            return pa.array(block.times + start).cast(pa.timestamp("us"))
        return block.columns[name]()


def _cast(values: Values, wanted: pa.DataType) -> Values:
    """Values as another type; fractions round, as DuckDB rounds them."""
    if values.type == wanted:
        return values
    if pa.types.is_floating(values.type) and pa.types.is_integer(wanted):
        values = pc.round(values, round_mode="half_to_even")
    return values.cast(wanted, safe=pa.types.is_integer(wanted))


def _castable(native: pa.DataType, wanted: pa.DataType) -> bool:
    types = pa.types
    if types.is_string(wanted):
        return True
    if types.is_timestamp(native):
        return bool(types.is_timestamp(wanted))
    numbers = (types.is_integer, types.is_floating, types.is_decimal)
    return any(is_it(native) for is_it in numbers) and any(is_it(wanted) for is_it in numbers)


class GeneratedSource(Source):
    """Hands a generator's tuples over at the pace asked for, until the limit if there is one."""

    def __init__(self, options: GeneratorOptions, feed: Feed, clock: Clock | None = None) -> None:
        self._options = options
        self._feed = feed
        self._clock = clock or WallClock()
        self._ended = False

    def open(self) -> None:
        """A generator takes nothing."""

    def idle(self) -> bool:
        return self._ended

    def run(self, inlet: Inlet, position: Position | None, stopping: Event) -> None:
        if position is None:
            position = {"tuples": 0, "start": self._start()}
            inlet.accept(inlet.stream.arriving.arrow.empty_table(), position=position)
        done, start = int(position["tuples"]), int(position["start"])
        reading = _Reading(self._feed, start)
        pacer = Pacer(self._options.speed, self._clock, since=reading.time(done - 1) if done else 0)
        horizon = _NO_HORIZON
        while not stopping.is_set() and not self._at_limit(done):
            due = reading.time(done)
            if due > horizon:
                horizon = pacer.await_due(due, stopping)
                continue
            rows = reading.rows(done, horizon, self._options.limit)
            done += rows.num_rows
            inlet.accept(rows, position={"tuples": done, "start": start})
        if self._at_limit(done):
            inlet.finish()
            self._ended = True

    def _at_limit(self, done: int) -> bool:
        return self._options.limit is not None and done >= self._options.limit

    def _start(self) -> int:
        """What event times count from: whole seconds, so sources started together agree."""
        if self._options.start is not None:
            return self._options.start
        return self._clock.micros() // _SECOND * _SECOND


class _Reading:
    """Where a generator is read now: the block at hand, ready to be sliced."""

    def __init__(self, feed: Feed, start: int) -> None:
        self._feed = feed
        self._start = start
        self._number = -1
        self._block: Block
        self._table: pa.Table

    def time(self, number: int) -> int:
        """When that tuple happens; turns to its block."""
        self._turn_to(number // self._feed.generator.rows)
        return int(self._block.times[number % self._feed.generator.rows])

    def rows(self, done: int, horizon: int, limit: int | None) -> pa.Table:
        """The tuples of this block after the first `done`, up to the horizon and the limit."""
        first = done % self._feed.generator.rows
        end = int(np.searchsorted(self._block.times, horizon, side="right"))
        if limit is not None:
            end = min(end, first + limit - done)
        return self._feed.typed(self._table.slice(first, end - first))

    def _turn_to(self, number: int) -> None:
        if number != self._number:
            self._number = number
            self._block = self._feed.generator.block(number)
            self._table = self._feed.table(self._block, self._start)
