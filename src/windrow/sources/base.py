"""What every source is, and how it hands over what it reads.

A source runs in the driver, on a thread of its own, and calls `inlet.accept(…)` as data comes;
the call returns when the tuples are in the stream log (durable, if the log is), and blocks while
the pipeline is too far behind: that is the back-pressure. A source that can be read again gives
each hand-over a `position`; after a restart `run` gets the last position that was logged, and
goes on from there, so nothing is read twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from threading import Event
from typing import Protocol

import pyarrow as pa

from windrow.catalog import Stream
from windrow.log.stream_log import Position


class Inlet(Protocol):
    """Where a source puts what it reads: the door of one stream."""

    stream: Stream

    def accept(
        self,
        rows: pa.Table,
        *,
        rejected: Sequence[tuple[str, str]] = (),
        position: Position | None = None,
    ) -> None:
        """Take tuples in arrival order, and input that was no tuple as (input, reason).

        `rows` has the columns of `stream.arriving`, in any order, with the stream's Arrow types.
        Tuples whose timestamp is NULL are rejected, late ones go to NAME.late; both are counted.
        Atomic: after a crash either all of a call is in the log, with its position, or nothing.
        """

    def finish(self) -> None:
        """Nothing more will ever come: the stream's clock goes to the end of time."""


class Source(ABC):
    """Something that tuples come from. Built from the URI, which it checks, without side effect."""

    @abstractmethod
    def open(self) -> None:
        """Take what the source needs (a port, a directory) or raise SourceError with a hint."""

    @abstractmethod
    def run(self, inlet: Inlet, position: Position | None, stopping: Event) -> None:
        """Read until `stopping` is set or the source has ended. Raise SourceError if it fails."""

    def idle(self) -> bool:
        """Whether all that is there now has been handed over; a live source may say so between
        two arrivals. Asked from another thread by `--until-idle`."""
        return False

    def close(self) -> None:
        """Give back what `open` took. Called once, after `run` has returned."""
