"""The door of a stream: what arrives is stamped, checked against the clock, and logged."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.catalog import Part, Stamping, Stream
from windrow.delta import BEGINNING, NEVER, Instants
from windrow.expressions.json_rows import json_rows
from windrow.kernels.clocks import late_mask
from windrow.log.stream_log import NOTHING, Payload, Position, StreamLog, Times

_FARTHEST = 2**61
"""Instants beyond this, and DuckDB's infinities, are no timestamps."""

WallClock = Callable[[], int]
"""Microseconds since 1970."""


def wall_clock() -> int:
    return time.time_ns() // 1000


class StreamInlet:
    """Takes tuples of one stream from sources, pushes and heartbeats, on any thread."""

    def __init__(
        self,
        stream: Stream,
        log: StreamLog,
        *,
        now: WallClock = wall_clock,
        wait_for_room: Callable[[], None] = lambda: None,
        on_arrival: Callable[[], None] = lambda: None,
    ) -> None:
        self.stream = stream
        self._log = log
        self._now = now
        self._wait_for_room = wait_for_room
        self._on_arrival = on_arrival
        entries = log.index().entries
        last = entries[-1] if len(entries) else None
        self._clock = BEGINNING if last is None else int(last["clock"])
        self._floor = BEGINNING if last is None else int(last["floor"])
        self._stamp = BEGINNING if last is None else int(last["last_stamp"])
        self.newest = self._newest(log)
        """The greatest timestamp that an accepted tuple has had."""
        self.last_arrival = self._now()
        """When tuples came last, or the stream was opened, by the wall clock."""

    @property
    def clock(self) -> int:
        return self._clock

    def clock_of(self, stream: Stream) -> int:
        """The clock of this stream, or of its late tuples, or of its rejected input."""
        return self._clock if stream.part is Part.TUPLES else self._stamp

    @property
    def reached(self) -> int:
        """The newest instant that is known of: that of a tuple, or one that it was advanced to; but not
        the end of time."""
        return max(self.newest, self._clock if self._clock <= _FARTHEST else BEGINNING)

    def newest_of(self, stream: Stream) -> int:
        return self.newest if stream.part is Part.TUPLES else self._stamp

    @property
    def position(self) -> Position | None:
        return self._log.position

    def standing_still(self) -> AbstractContextManager[object]:
        """While the block lasts, nothing is logged."""
        return self._log.lock

    def accept(
        self,
        rows: pa.Table,
        *,
        rejected: Sequence[tuple[str, str]] = (),
        position: Position | None = None,
    ) -> None:
        """Log tuples in arrival order: see `windrow.sources.base.Inlet`."""
        self._wait_for_room()
        with self._log.lock:
            now = self._now()
            tuples, late, refused = self._sorted_out(rows, list(rejected), now)
            ts = self._timestamps(tuples)
            count = tuples.num_rows + late.num_rows + refused.num_rows
            first_stamp = max(now, self._stamp + 1)
            last_stamp = first_stamp + max(0, count - 1)
            clock, floor = self._moved(ts, last_stamp)
            times = Times(
                min_ts=int(ts.min()) if len(ts) else NEVER,
                max_ts=int(ts.max()) if len(ts) else BEGINNING,
                clock=clock,
                floor=floor,
                stamp=first_stamp,
                last_stamp=last_stamp,
                arrived=now,
            )
            payload: Payload = (_whole(tuples), _whole(late), _whole(refused))
            self._log.append(payload, times, position)
            self._keep(times)
            self.last_arrival = now
        self._on_arrival()

    def advance(self, clock: int) -> None:
        """All tuples up to and including this instant are in: older or equal ones come late."""
        self._step(clock, clock + 1 if clock < NEVER else NEVER)

    def follow(self, clock: int) -> None:
        """An idle stream does not hold the others up: its clock is moved on, to an instant that
        they have reached or that its own newest tuple has; what is older comes late from now on."""
        self._step(clock, clock)

    def beat(self) -> None:
        """A heartbeat: the clock of a stream that the system stamps is the wall clock, and so is that
        of late tuples and rejected input on any stream."""
        if self.stream.stamping is not Stamping.EXTERNAL:
            self._step(self._now(), BEGINNING)
            return
        with self._log.lock:
            if self._now() <= self._stamp:
                return
            self._log_step(self._clock, self._floor)
        self._on_arrival()

    def finish(self) -> None:
        """Nothing will ever come again."""
        self.advance(NEVER)

    def _step(self, clock: int, floor: int) -> None:
        with self._log.lock:
            stamped = self.stream.stamping is not Stamping.EXTERNAL
            if clock <= self._clock and (stamped or floor <= self._floor):
                return
            self._log_step(max(clock, self._clock), max(floor, self._floor))
        self._on_arrival()

    def _log_step(self, clock: int, floor: int) -> None:
        """An entry without rows. The caller holds the log's lock."""
        now = self._now()
        stamp = max(now, self._stamp)
        if self.stream.stamping is not Stamping.EXTERNAL and clock != NEVER:
            stamp = clock  # what comes next has to be stamped later than the clock
        times = Times(NEVER, BEGINNING, clock, floor, stamp, stamp, now)
        self._log.append(NOTHING, times)
        self._keep(times)

    def _keep(self, times: Times) -> None:
        """What is in the log holds from now on; an append that failed has changed nothing."""
        self._clock, self._floor, self._stamp = times.clock, times.floor, times.last_stamp
        self.newest = max(self.newest, self._newest_of(times.max_ts, times.last_stamp))

    def _sorted_out(
        self, rows: pa.Table, rejected: list[tuple[str, str]], now: int
    ) -> tuple[pa.Table, pa.Table, pa.Table]:
        """Tuples in time, late tuples, and what is rejected."""
        stream = self.stream
        if stream.stamping is Stamping.EXTERNAL:
            rows = self._without_unusable(rows, rejected)
            late = self._late(rows)
        else:  # nothing is late, until the stream is said to have ended
            late = np.full(rows.num_rows, self._clock == NEVER)
        if stream.stamping is Stamping.INTERNAL:
            stamps = max(now, self._stamp + 1) + np.arange(rows.num_rows)
            rows = rows.append_column(stream.time_column, pa.array(stamps, pa.timestamp("us")))
        rows = rows.select(stream.schema.names)
        refused = stream.rejected.schema.arrow.empty_table()
        if rejected:
            inputs, reasons = zip(*rejected, strict=True)
            refused = pa.table([inputs, reasons], schema=refused.schema)
        if not late.any():
            return rows, rows.slice(0, 0), refused
        return rows.filter(pa.array(~late)), rows.filter(pa.array(late)), refused

    def _without_unusable(self, rows: pa.Table, rejected: list[tuple[str, str]]) -> pa.Table:
        """Tuples whose timestamp orders them; the others are added to what is rejected."""
        name = self.stream.time_column
        column = rows.column(name)
        instants = column.cast(pa.int64()).fill_null(pa.scalar(NEVER)).to_numpy()
        unusable = (instants > _FARTHEST) | (instants < -_FARTHEST)
        if not unusable.any():
            return rows
        refused = rows.filter(pa.array(unusable))
        whats = ["NULL" if null else "no instant" for null in refused.column(name).is_null().to_pylist()]
        reasons = [f"the timestamp {name} is {what}" for what in whats]
        rejected += zip(json_rows(_showable(refused)), reasons, strict=True)
        return rows.filter(pa.array(~unusable))

    def _newest(self, log: StreamLog) -> int:
        entries = log.index().entries
        return self._newest_of(int(entries["max_ts"].max()) if len(entries) else BEGINNING, self._stamp)

    def _newest_of(self, max_ts: int, stamp: int) -> int:
        return max_ts if self.stream.stamping is Stamping.EXTERNAL else stamp

    def _late(self, rows: pa.Table) -> npt.NDArray[np.bool_]:
        ts = rows.column(self.stream.time_column).cast(pa.int64()).to_numpy()
        return late_mask(ts, self._floor, self.stream.slack)[0]

    def _timestamps(self, tuples: pa.Table) -> Instants:
        """The timestamps of external tuples; others are stamped in order and need none here."""
        if self.stream.stamping is not Stamping.EXTERNAL:
            return np.empty(0, np.int64)
        return tuples.column(self.stream.time_column).cast(pa.int64()).to_numpy()

    def _moved(self, ts: Instants, last_stamp: int) -> tuple[int, int]:
        """Clock and floor after accepting these."""
        if self.stream.stamping is not Stamping.EXTERNAL:
            return max(self._clock, last_stamp), self._floor
        reached = max(BEGINNING, int(ts.max()) - self.stream.slack) if len(ts) else BEGINNING
        return max(self._clock, reached), max(self._floor, reached)


def _showable(rows: pa.Table) -> pa.Table:
    """Instants so far away that they cannot be written as dates are shown as microseconds."""
    for place, column in enumerate(rows.columns):
        if pa.types.is_timestamp(column.type):
            counts = column.cast(pa.int64())
            values = counts.drop_null().to_numpy()
            if len(values) and (values.max() > _FARTHEST or values.min() < -_FARTHEST):
                rows = rows.set_column(place, rows.column_names[place], counts)
    return rows


def _whole(rows: pa.Table) -> pa.RecordBatch | None:
    if not rows.num_rows:
        return None
    return pa.RecordBatch.from_arrays(
        [column.combine_chunks() for column in rows.columns], schema=rows.schema
    )
