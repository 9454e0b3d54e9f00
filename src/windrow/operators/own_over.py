"""Window aggregates of the user's own, over frames: they say themselves when they give a result.

The definition hears of every tuple that comes into a frame and of every one that leaves it. What it
returns at a tuple that gives a result makes rows: none, one or several. When a tuple leaves, that is so
under ACTIVE EXPIRATION alone.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from windrow.aggregates.base import Aggregate
from windrow.aggregates.events import Events
from windrow.aggregates.tuples import Ints, Mask
from windrow.aggregates.user_defined.calls import version
from windrow.aggregates.user_defined.frame_call import FrameCall
from windrow.aggregates.user_defined.side_by_side import side_by_side
from windrow.buffers.departures import Departures
from windrow.buffers.parts import State, under, within
from windrow.delta import Delta, Instants
from windrow.operators.base import failures_of
from windrow.operators.over import OverOperator
from windrow.plan.grouping import Over


class OwnOverOperator(OverOperator):
    """Runs an Over node whose calls are of window aggregates of the user's own."""

    def __init__(self, node: Over) -> None:
        self._calls: list[FrameCall] = []
        super().__init__(node)

    def take_failures(self) -> pa.Table | None:
        return failures_of(self._stream, [each for call in self._calls for each in call.take_failures()])

    def save(self) -> State:
        calls = (under(f"call{place}", call.save()) for place, call in enumerate(self._calls))
        return {**super().save(), **{name: part for saved in calls for name, part in saved.items()}}

    def restore(self, state: State) -> None:
        super().restore(state)
        for place, call in enumerate(self._calls):
            call.restore(within(f"call{place}", state))

    @property
    def _is_halted(self) -> bool:
        return any(call.is_halted for call in self._calls)

    def _running(self, node: Over) -> list[Aggregate]:
        for call in node.calls:
            definition = version(call, window=True)
            if definition is None:
                raise ValueError("these frames are of window aggregates")
            self._calls.append(FrameCall(call, definition, self._ledger))
        return []

    def _of_arrivals(self, arrived: Delta, asked: Mask, events: Events) -> Delta:
        heard = events.signs > 0
        arrivals = np.cumsum(heard) - 1
        heard[heard] = asked
        ts = self._pacing.told(arrived.ts)[arrivals] if len(arrived) else arrivals
        return self._returned(arrived, arrived.rows, arrivals, ts, events, heard)

    def _of_all(self, arrived: Delta, leaving: Departures, events: Events) -> Delta:
        both, rows = self._both(arrived, leaving, events)
        heard = np.ones(len(rows), np.bool_)
        return self._returned(arrived, both, rows, events.instants, events, heard)

    def _returned(
        self, arrived: Delta, source: pa.Table, rows: Ints, ts: Instants, events: Events, heard: Mask
    ) -> Delta:
        """The rows that the calls return: of each event its tuple's columns, and theirs."""
        results = [call.results(events, heard) for call in self._calls]
        at, values = side_by_side(results, len(events.rows))
        places = rows[at]
        is_all = len(places) == len(source) and np.array_equal(places, np.arange(len(places)))
        columns = [*(source if is_all else source.take(places)).columns, *values]
        return Delta(0, pa.table(columns, schema=self._schema), ts[at])


def over_operator(node: Over) -> OverOperator:
    """A new operator for frames, by what is called over them."""
    return OwnOverOperator(node) if node.own else OverOperator(node)
