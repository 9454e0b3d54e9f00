"""From ends that are known beforehand to negative tuples, each told when its instant comes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from windrow.buffers.expiring import ExpiringRows, expiries_for
from windrow.buffers.parts import State
from windrow.delta import Delta, concat, in_time_order
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern


class Ending:
    """Tells the ends of one edge's tuples. What is kept suits the edge's pattern: a FIFO queue, a calendar
    queue, or, where ends are told anyway or never come, nothing."""

    def __init__(self, edge: Node, *, scanned: bool = False) -> None:
        foreseen = edge.pattern in (Pattern.WKS, Pattern.WK)
        expiries = expiries_for(edge.pattern, scanned=scanned)
        self._live = ExpiringRows(edge.schema.arrow, expiries) if foreseen else None

    def signed(self, delta: Delta) -> Delta:
        """The same changes and, up to the clock, all ends; at an instant these come first."""
        if self._live is None:
            return _with_signs(delta)
        if delta.exp is not None:
            self._live.insert(delta.rows, delta.exp)
        rows, ends = self._live.expire_until(delta.clock)
        negative = Delta(delta.clock, rows, ends, None, np.full(len(ends), -1, np.int8))
        return in_time_order(concat([negative, _with_signs(replace(delta, exp=None))]))

    @property
    def probes(self) -> int | None:
        """Entries that were looked at to find those that ended."""
        return None if self._live is None else self._live.probes

    def save(self) -> State:
        return self._live.save() if self._live is not None else {}

    def restore(self, state: State) -> None:
        if self._live is not None:
            self._live.restore(state)


def _with_signs(delta: Delta) -> Delta:
    return delta if delta.sign is not None else replace(delta, sign=np.ones(len(delta), np.int8))
