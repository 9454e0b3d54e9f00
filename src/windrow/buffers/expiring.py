"""Rows that stop counting at instants known beforehand, each kept until then."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from windrow.buffers.calendar import CalendarQueue
from windrow.buffers.expiries import Expiries
from windrow.buffers.fifo import Fifo
from windrow.buffers.parts import State
from windrow.buffers.rows import RowStore
from windrow.buffers.scan import Scan
from windrow.delta import NEVER, Instants
from windrow.plan.patterns import Pattern

_END = "__end"


def expiries_for(pattern: Pattern, *, scanned: bool = False) -> Expiries:
    """What finds the ends of rows of a WKS or WK edge; `scanned`: the direct approach's."""
    if pattern is Pattern.WKS:
        return Fifo()
    return Scan() if scanned else CalendarQueue()


class ExpiringRows:
    """Rows and their ends."""

    def __init__(self, schema: pa.Schema, expiries: Expiries) -> None:
        self._rows = RowStore(schema.append(pa.field(_END, pa.int64())))
        self._expiries = expiries

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes + self._expiries.nbytes

    @property
    def probes(self) -> int:
        return self._expiries.probes

    def insert(self, rows: pa.Table, ends: Instants) -> None:
        """Keep rows until their ends; those that never end are not kept."""
        if (ends == NEVER).any():
            rows, ends = rows.filter(pa.array(ends < NEVER)), ends[ends < NEVER]
        first = self._rows.append(rows.append_column(_END, pa.array(ends)))
        self._expiries.insert(np.arange(first, first + len(ends)), ends)

    def expire_until(self, clock: int) -> tuple[pa.Table, Instants]:
        """The rows whose end the clock has reached, and their ends, in order; ties as they came."""
        numbers, ends = self._expiries.expire_until(clock)
        rows = self._rows.take(numbers).drop_columns([_END])
        self._rows.release(numbers)
        return rows, ends

    def save(self) -> State:
        return self._rows.save() if len(self) else {}

    def restore(self, state: State) -> None:
        self._rows.restore(state)
        numbers = self._rows.live()
        self._expiries.insert(numbers, self._rows.take(numbers, [_END])[_END].to_numpy())
