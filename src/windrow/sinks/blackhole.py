"""A sink that takes everything and keeps nothing: `blackhole:`, to see what a query costs."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.delta import Delta
from windrow.schema import Schema
from windrow.sinks.base import FileSink, Part


class BlackholeSink(FileSink):
    """What would be written is dropped where it was computed, in the worker."""

    def open(self, schema: Schema) -> None:
        """There is nothing to take."""

    def write(self, batch: int, delta: Delta) -> None:
        """Dropped."""

    def write_part(self, batch: int, part: int, delta: Delta) -> Part | None:
        return None

    def commit(self, batch: int, parts: Sequence[Part]) -> None:
        """Nothing was written."""
