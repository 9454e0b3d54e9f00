"""Which tuples a stream accepts, and with which timestamps: one tuple at a time, by the words of the law.

A tuple that brings its timestamp is rejected if that is NULL, and late if it is below the floor of its
moment: the greatest accepted timestamp less the slack, or the instant after the one advanced to. One
that brings none is stamped by the wall clock, which here always moves on between two hand-overs.
Knows nothing of windrow.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

Row = tuple[object, ...]


@dataclass(frozen=True)
class Accepted:
    """A tuple that counts from `ts` on; `number` is its place in arrival order."""

    ts: int
    number: int
    row: Row


@dataclass
class StreamReference:
    """What has come in on a stream. `time_place` is the timestamp's place in a row that brings one."""

    time_place: int | None
    slack: int = 0
    stamp_is_column: bool = False
    accepted: list[Accepted] = field(default_factory=list)
    late: list[Accepted] = field(default_factory=list)
    rejected: int = 0
    floor: int = -(2**63)
    clock: int = -(2**63)

    def arrive(self, rows: Iterable[Row], now: int) -> None:
        """One hand-over. Late tuples are stamped after those in time."""
        in_time: list[tuple[int, Row]] = []
        late: list[Row] = []
        for row in rows:
            ts = self._timestamp(row, now + len(in_time))
            if ts is None:
                self.rejected += 1
            elif ts < self.floor:
                late.append(row)
            else:
                in_time.append((ts, row))
                self._reached(ts)
        for ts, row in in_time:
            self.accepted.append(Accepted(ts, len(self.accepted), self._stamped(row, ts)))
        for place, row in enumerate(late, len(in_time)):
            self.late.append(Accepted(now + place, len(self.late), row))

    def advance(self, ts: int) -> None:
        self.clock = max(self.clock, ts)
        if self.time_place is not None:
            self.floor = max(self.floor, ts + 1)

    def in_time_order(self) -> list[Accepted]:
        return sorted(self.accepted, key=lambda each: (each.ts, each.number))

    def _timestamp(self, row: Row, stamp: int) -> int | None:
        if self.time_place is None:
            return stamp
        ts = row[self.time_place]
        assert ts is None or isinstance(ts, int)
        return ts

    def _reached(self, ts: int) -> None:
        self.clock = max(self.clock, ts - self.slack)
        if self.time_place is not None:
            self.floor = max(self.floor, ts - self.slack)

    def _stamped(self, row: Row, ts: int) -> Row:
        return (*row, ts) if self.stamp_is_column else row
