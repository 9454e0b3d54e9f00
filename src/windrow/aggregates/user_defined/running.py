"""Aggregates of the user's own that follow tuples one by one, and give a value whenever one is wanted: the
last row that they return at that moment. TERMINATE is done behind whatever happens, and goes on after it.
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
from windrow.aggregates.parts import Failure, Part
from windrow.aggregates.tuples import Ints
from windrow.aggregates.user_defined.frame_call import FrameCall
from windrow.aggregates.user_defined.side_by_side import taken_or_null
from windrow.buffers.parts import State
from windrow.catalog import Aggregate as Definition


def running(
    call: exp.Expr,
    definition: Definition,
    ledger: Ledger,
    *,
    compares: bool = False,
    restarts: bool = False,
) -> Aggregate:
    """What runs a call: `compares` if the value before a batch is wanted, too, and `restarts` if it begins
    anew behind each value."""
    followed = FrameCall(call, definition, ledger, restarts=restarts)
    return _Running(ledger.part(_SoFar, followed, compares))


class _Running(Aggregate):
    def __init__(self, so_far: _SoFar) -> None:
        self._so_far = so_far

    def results(self, events: Events) -> pa.Array[Any]:
        return self._so_far.values


class _SoFar(Part):
    """The values at the moments of a batch."""

    is_rebuilt = False

    def __init__(self, call: FrameCall, compares: bool) -> None:
        self._call, self._compares = call, compares
        self.values: pa.Array[Any] = pa.nulls(0)

    def observe(self, events: Events) -> None:
        before = self._call.openings(events) if self._compares else None
        returned = self._call.results(events, events.places >= 0, always=True)
        last = np.full(len(events.moments), -1, np.int64)
        last[events.places[returned.tuples]] = np.arange(len(returned.tuples))
        values = returned.values
        if before is not None:
            last[before.tuples] = len(values) + np.arange(len(before.tuples))
            values = pa.concat_arrays([values, before.values])
        self.values = taken_or_null(values, last)

    @property
    def is_halted(self) -> bool:
        return self._call.is_halted

    def take_failures(self) -> Sequence[Failure]:
        return self._call.take_failures()

    def forget(self, groups: Ints) -> None:
        """The definition forgets a group with its last tuple."""

    def save(self, changed: Ints) -> State:
        return self._call.save()

    def restore(self, state: State) -> None:
        self._call.restore(state)
