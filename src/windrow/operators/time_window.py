"""Windows of time: every tuple is told when it leaves, and nobody has to be told again.

A window that moves with each tuple holds a tuple from its timestamp to so much later, and keeps nothing.
One that moves only at multiples of its slide lets a tuple in at the first of them that is not before its
timestamp, and out at the first that is not before its end; until then it waits here. Where that is the
same instant, no window ever sees the tuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from windrow.buffers.parts import State
from windrow.delta import NEVER, Delta, Instants, concat
from windrow.kernels.slides import next_slots
from windrow.operators.base import Operator
from windrow.operators.waiting import Waiting
from windrow.plan.windows import OutputWindow, Window


class TimeWindow(Operator):
    """Runs a window of time without a slide."""

    def __init__(self, node: Window | OutputWindow) -> None:
        self._node = node

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        return _leaving(delta, self._node, later(delta.ts, self._node.spec.size))


class SlidingTimeWindow(Operator):
    """Runs a window of time that moves at multiples of its slide."""

    def __init__(self, node: Window | OutputWindow) -> None:
        self._node = node
        self._slide = node.spec.slide or 1
        nothing = Delta.empty(0, node.input.schema.arrow)
        self._waiting = Waiting(replace(nothing, exp=nothing.ts))
        """Tuples that have not entered yet."""

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        enters = slot(delta.ts, self._slide)
        leaves = slot(delta.ts, self._slide, self._node.spec.size)
        delta, seen = replace(delta, exp=leaves), enters < leaves
        if not seen.all():
            delta, enters = delta.take(seen), enters[seen]
        waited = self._waiting.release(delta.clock)
        at_once = int(np.searchsorted(enters, delta.clock, side="right"))
        entering = replace(delta.between(0, at_once), ts=enters[:at_once])
        self._waiting.hold(delta.between(at_once, len(delta)), enters[at_once:])
        entering = concat([waited, entering]) if len(waited) else entering.at(delta.clock)
        assert entering.exp is not None
        return _leaving(entering, self._node, entering.exp)

    def save(self) -> State:
        return self._waiting.save()

    def restore(self, state: State) -> None:
        self._waiting.restore(state)


def later(ts: Instants, length: int) -> Instants:
    """So much later; what would be after the last instant is never."""
    if not len(ts) or ts.max() <= NEVER - length:
        return ts + length
    return np.where(ts > NEVER - length, NEVER, ts + length)


def slot(ts: Instants, slide: int, length: int = 0) -> Instants:
    """The first multiple of the slide that is not before so much later."""
    slots = np.empty(len(ts), np.int64)
    next_slots(np.ascontiguousarray(ts), length, slide, slots)
    return slots


def _leaving(delta: Delta, node: Window | OutputWindow, exp: Instants) -> Delta:
    """The tuples with the instants at which they leave, if they ever do."""
    if isinstance(node, Window) and node.exposed is not None:
        delta = replace(delta, rows=delta.rows.append_column(node.exposed, pa.array(exp)))
    return replace(delta, exp=None if node.spec.is_unbounded else exp)
