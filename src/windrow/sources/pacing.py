"""When generated tuples are handed over: on the wall clock, a tick at a time, never busily.

A generator says at which event time each tuple happens; the pacer lets event time pass as fast
as the wall clock, or `speed` times as fast. It counts from where it began, so a source that
is started again after a pause goes on at its pace rather than making up for the pause.
"""

from __future__ import annotations

import time
from threading import Event
from typing import Protocol

TICK = 0.05
"""Seconds between two hand-overs at least: what falls due in between goes together."""

EVER = 2**63 - 1
"""The horizon of a pacer that holds nothing back."""

_LONGEST_WAIT = 3600.0


class Clock(Protocol):
    """What a pacer knows of time; tests bring a clock of their own."""

    def seconds(self) -> float:
        """Seconds on a clock that never goes back."""

    def micros(self) -> int:
        """The wall clock: microseconds since the epoch."""

    def wait(self, stopping: Event, seconds: float) -> None:
        """Sleep for so long, or until `stopping` is set."""


class WallClock:
    """The clock of the machine."""

    def seconds(self) -> float:
        return time.monotonic()

    def micros(self) -> int:
        return time.time_ns() // 1000

    def wait(self, stopping: Event, seconds: float) -> None:
        stopping.wait(seconds)


class Pacer:
    """Lets event time pass `speed` times as fast as the clock; None is as fast as can be."""

    def __init__(self, speed: float | None, clock: Clock, since: int = 0) -> None:
        """Begin now, with event time at `since` (microseconds, as all event times)."""
        self._speed = speed
        self._clock = clock
        self._since = since
        self._began = clock.seconds()
        self._ticked = self._began - TICK

    def await_due(self, event_time: int, stopping: Event) -> int:
        """Wait until a tuple of that time is due; return the time up to which all are due now."""
        if self._speed is None:
            return EVER
        due = self._began + (event_time - self._since) / (1e6 * self._speed)
        seconds = max(due, self._ticked + TICK) - self._clock.seconds()
        if seconds > 0:
            self._clock.wait(stopping, min(seconds, _LONGEST_WAIT))
        self._ticked = self._clock.seconds()
        return self._since + round((self._ticked - self._began) * 1e6 * self._speed)
