"""What every sink is: a place that a query's changes go to, batch by batch, idempotently.

A batch is given as one delta for each part (time slices: part 0 is before part 1) and a batch
number. Numbers rise, and after a crash the last one may be given again with the same content;
a sink that can know that it has seen a number already does not write it twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from windrow.delta import Delta
from windrow.schema import Schema


class Sink(ABC):
    """Built from the URI, which it checks, without side effect. Lives in the driver."""

    @abstractmethod
    def open(self, schema: Schema) -> None:
        """Take what the sink needs, or raise SinkError with a hint."""

    @abstractmethod
    def write(self, batch: int, delta: Delta) -> None:
        """Put one batch out. Raise SinkError if it fails: the batch will be given again."""

    def close(self) -> None:
        """Give back what `open` took."""


@dataclass(frozen=True, slots=True)
class Part:
    """A file that a worker wrote for a sink, not yet in its place."""

    written: Path
    name: str


class FileSink(Sink):
    """A sink whose files the workers themselves write; the driver only puts them in place.

    `write_part` runs in a worker, on an unopened sink; `commit` in the driver, once a batch,
    and again with the same parts if the batch is given again.
    """

    @abstractmethod
    def write_part(self, batch: int, part: int, delta: Delta) -> Part | None:
        """Write under a temporary name that no other attempt uses, flushed to disk.

        None, and no file, for a delta without tuples.
        """

    @abstractmethod
    def commit(self, batch: int, parts: Sequence[Part]) -> None:
        """Rename the parts into place; remove what earlier attempts at this batch left."""
