"""Window aggregates of SQL:2003: for each tuple, what aggregates are over the tuples of its frame.

A frame of time takes in the tuples of the same instant, and more of them may come while the clock is
there. So tuples wait until the clock has passed their instant; where only the last of each slot gives a
result, until it has passed the end of the slot, which is the instant of the result. Tuples that leave a
frame likewise give their results when the clock has passed the instant. A frame of so many tuples is
known when its tuple comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates.base import Aggregate
from windrow.aggregates.events import Events
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import Ending
from windrow.aggregates.registry import aggregate_of
from windrow.aggregates.sums import Counts
from windrow.aggregates.tuples import Ints, Mask
from windrow.aggregates.user_defined.calls import starting
from windrow.buffers.departures import Departures
from windrow.buffers.growing import each_once
from windrow.buffers.keys import KeyCodes
from windrow.buffers.parts import State, under, within
from windrow.delta import BEGINNING, Delta, Instants
from windrow.operators.base import Operator, failures_of
from windrow.operators.frames import pacing_of
from windrow.plan.grouping import Over
from windrow.plan.nodes import origins


class OverOperator(Operator):
    """Runs an Over node."""

    def __init__(self, node: Over) -> None:
        input_, frame = node.input.schema, node.frame
        self._ledger = Ledger(input_, Ending.FORESEEN if _has_ends(node) else Ending.NEVER)
        self._live = self._ledger.part(Counts, None)
        self._aggregates = self._running(node)
        self._pacing = pacing_of(frame, input_)
        self._population = self._pacing.population(self._ledger)
        self._keys = KeyCodes(input_.keep(node.partition)) if node.partition else None
        self._leaving = Departures(input_.arrow) if frame.active else None
        """The tuples of the frames, where they give a result when they leave."""
        self._schema, self._stream = node.schema.arrow, origins(node)[0]

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        if delta.clock == BEGINNING or self._is_halted:
            return Delta.empty(delta.clock, self._schema)
        known = self._pacing.known(delta)
        groups = np.zeros(len(known), np.int64) if self._keys is None else self._keys.codes(known.rows)
        arrived, groups, asked = self._pacing.chosen(known, groups, self._capacity)
        leaving = self._leaving
        events = self._population.on_delta(
            arrived, groups, self._capacity, asked if leaving is None else None
        )
        self._ledger.observe(events)
        if self._is_halted:
            return Delta.empty(delta.clock, self._schema)
        if leaving is None:
            given = self._of_arrivals(arrived, asked, events)
        else:
            given = self._of_all(arrived, leaving, events)
        self._forget_empty(events)
        return given.at(delta.clock)

    def take_failures(self) -> pa.Table | None:
        return failures_of(self._stream, self._ledger.take_failures())

    def save(self) -> State:
        return {
            **under("keys", {} if self._keys is None else self._keys.save()),
            **under("pacing", self._pacing.save()),
            **under("tuples", self._population.save()),
            **under("groups", self._ledger.save()),
            **under("leaving", {} if self._leaving is None else self._leaving.save()),
        }

    def restore(self, state: State) -> None:
        if self._keys is not None:
            self._keys.restore(within("keys", state))
        if pacing := within("pacing", state):
            self._pacing.restore(pacing)
        if tuples := within("tuples", state):
            self._population.restore(tuples)
        self._ledger.restore(within("groups", state))
        if self._leaving is not None:
            self._leaving.restore(within("leaving", state))
        survivors = self._population.survivors(self._capacity)
        if survivors is not None:
            self._ledger.rebuild(survivors)

    def _running(self, node: Over) -> list[Aggregate]:
        """What runs the calls."""
        return [
            aggregate_of(call, field, self._ledger, frame=node.frame)
            for call, field in zip(node.calls, node.names, strict=True)
        ]

    @property
    def _is_halted(self) -> bool:
        """An aggregate of the user's own cannot go on: then nothing more is given."""
        return self._ledger.is_halted

    @property
    def _capacity(self) -> int:
        return 1 if self._keys is None else self._keys.capacity

    def _of_arrivals(self, arrived: Delta, asked: Mask, events: Events) -> Delta:
        """The results of tuples that come, as far as they are asked for."""
        giving = arrived if asked.all() else arrived.take(asked)
        return self._given(giving.rows, self._pacing.told(giving.ts), events)

    def _of_all(self, arrived: Delta, leaving: Departures, events: Events) -> Delta:
        """The results of tuples that come and of those that leave, in the order of events."""
        both, rows = self._both(arrived, leaving, events)
        return self._given(both.take(rows), events.instants, events)

    def _both(self, arrived: Delta, leaving: Departures, events: Events) -> tuple[pa.Table, Ints]:
        """The tuples that come and those that leave, and of each event the place of its tuple there."""
        assert arrived.exp is not None
        leaving.add(arrived.exp, arrived.rows)
        _, left = leaving.due(arrived.clock)
        is_left = events.signs < 0
        rows = np.where(is_left, np.cumsum(is_left), len(left) + np.cumsum(~is_left)) - 1
        return pa.concat_tables([left, arrived.rows]), rows

    def _given(self, rows: pa.Table, ts: Instants, events: Events) -> Delta:
        """Tuples with the results at their moments, which are those of the events that are asked for."""
        first = events.moments.openings
        each_has_its_own = len(events.moments) - first == len(rows)
        places = None if each_has_its_own else events.places[events.places >= 0]
        columns: list[Any] = list(rows.columns)
        for aggregate, field in zip(self._aggregates, list(self._schema)[len(columns) :], strict=True):
            results = aggregate.results(events)
            mine = results.slice(first) if places is None else results.take(places)
            columns.append(mine.cast(field.type))
        return Delta(0, pa.table(columns, schema=self._schema), ts)

    def _forget_empty(self, events: Events) -> None:
        """Let go of groups that have no tuples any more."""
        if self._keys is None:
            return
        if np.count_nonzero(self._live.counts) == len(self._keys):
            return
        left = events.groups[events.rows[events.signs < 0]]
        gone = each_once([left[self._live.counts[left] == 0]], self._keys.capacity)
        self._ledger.forget(gone)
        self._keys.release(gone)


def _has_ends(node: Over) -> bool:
    """Whether anything has to hear that tuples leave frames: not where all begins anew for each."""
    frame = node.frame
    restarts = frame.tumbles and not node.own and all(starting(call, frame) for call in node.calls)
    return frame.preceding is not None and not restarts
