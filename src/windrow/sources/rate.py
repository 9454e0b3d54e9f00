"""`rate://10000`: numbers 0, 1, 2, … at an even pace, to measure and to try things with.

The number goes to the stream's integer column and the event time to its timestamp column,
whatever they are called.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pyarrow as pa

from windrow.catalog import Stream
from windrow.errors import SourceError
from windrow.schema import Schema
from windrow.sources.generated import Block, Feed, GeneratedSource, Generator, Timeline
from windrow.sources.generator_options import GeneratorOptions
from windrow.sources.pacing import Clock
from windrow.uri import Uri


class Counting(Generator):
    """0, 1, 2, … evenly spaced in event time."""

    columns: ClassVar[Schema] = Schema.of(("value", "BIGINT"), ("timestamp", "TIMESTAMP"))
    times: ClassVar[frozenset[str]] = frozenset({"timestamp"})

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline

    def block(self, number: int) -> Block:
        values = np.arange(number * self.rows, (number + 1) * self.rows, dtype=np.int64)
        return Block(self._timeline.micros(values), {"value": lambda: pa.array(values)})


class RateSource(GeneratedSource):
    """`rate://TUPLES-A-SECOND`, or `rate://max`."""

    def __init__(self, uri: Uri, stream: Stream, *, clock: Clock | None = None) -> None:
        options = GeneratorOptions.parse(uri, "speed", "limit", "burst", "start", rate=uri.rest)
        generator = Counting(Timeline(options.rate, options.burst))
        feed = Feed.fit(generator, stream, _filling(stream, uri.text), uri.text)
        super().__init__(options, feed, clock)


def _filling(stream: Stream, uri: str) -> dict[str, str]:
    filling: dict[str, str] = {}
    for field in stream.arriving:
        own = Counting.columns.find(field.name)
        native = own.name if own else _by_type(field.arrow.type)
        if native is None or native in filling.values():
            raise SourceError(
                f"{uri}: nothing fills column {field.name} of {stream.name}",
                hint="rate:// gives one integer and one timestamp: value BIGINT, timestamp TIMESTAMP",
            )
        filling[field.name] = native
    return filling


def _by_type(declared: pa.DataType) -> str | None:
    if pa.types.is_integer(declared):
        return "value"
    return "timestamp" if pa.types.is_timestamp(declared) else None
