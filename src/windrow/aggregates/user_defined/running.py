"""A base aggregate of the user's own over all tuples so far: TERMINATE is done after each, as long as it
goes on. Its value is the last row that it returns there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from windrow.aggregates.base import Aggregate
from windrow.aggregates.events import Events
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import Part
from windrow.aggregates.tuples import Ints
from windrow.aggregates.user_defined.frame_call import FrameCall
from windrow.aggregates.user_defined.side_by_side import taken_or_null
from windrow.buffers.parts import State
from windrow.catalog import Aggregate as Definition


def running(call: exp.Expr, definition: Definition, ledger: Ledger) -> Aggregate:
    """What runs a call of a base aggregate over frames without a beginning."""
    return _Running(ledger.part(_SoFar, FrameCall(call, definition, ledger)))


class _Running(Aggregate):
    def __init__(self, so_far: _SoFar) -> None:
        self._so_far = so_far

    def results(self, events: Events) -> pa.Array[Any]:
        return self._so_far.values


class _SoFar(Part):
    """The values at the moments of a batch."""

    is_rebuilt = False

    def __init__(self, call: FrameCall) -> None:
        self._call = call
        self.values: pa.Array[Any] = pa.nulls(0)

    def observe(self, events: Events) -> None:
        returned = self._call.results(events, events.places >= 0)
        last = np.full(len(events.moments), -1, np.int64)
        last[events.places[returned.tuples]] = np.arange(len(returned.tuples))
        self.values = taken_or_null(returned.values, last)

    def take_failures(self) -> Sequence[str]:
        return [reason for each in self._call.take_failures() for reason in each.reasons]

    def forget(self, groups: Ints) -> None:
        """Groups of which nothing ends are never empty."""

    def save(self, changed: Ints) -> State:
        return self._call.save()

    def restore(self, state: State) -> None:
        self._call.restore(state)
