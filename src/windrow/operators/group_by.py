"""One result a group of live tuples, told anew whenever it changes.

At each instant at which the result of a group is another than before, a negative tuple takes the old one
back and a positive tuple gives the new one; of an instant, all negative ones come first. A group without
tuples has no result, but for the one group of a query without keys, which has one from the beginning of
time.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.events import Events, Moments, Places
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.panes import Panes
from windrow.aggregates.population import Population, population_of
from windrow.aggregates.registry import aggregate_of
from windrow.aggregates.sameness import equal_places
from windrow.aggregates.sums import Counts
from windrow.buffers.gathering import are_plain, gathered
from windrow.buffers.keys import KeyCodes
from windrow.buffers.parts import State, under, within
from windrow.delta import BEGINNING, Delta, room
from windrow.kernels import moments as kernels
from windrow.operators.base import Operator, failures_of
from windrow.plan.grouping import GroupBy
from windrow.plan.nodes import origins

Mask = npt.NDArray[np.bool_]
Kept = TypeVar("Kept", Population, Panes)


class Grouped(Operator, Generic[Kept]):
    """What has one result a group."""

    def __init__(self, node: GroupBy, ledger: Ledger, kept: Callable[[Ledger], Kept]) -> None:
        self._ledger = ledger
        self._live = ledger.part(Counts, None)
        self._aggregates = [
            aggregate_of(call, field, ledger, pattern=node.input.pattern)
            for call, field in zip(node.aggregates, node.names, strict=True)
        ]
        self._population: Kept = kept(ledger)
        self._schema = node.schema.arrow
        self._stream = origins(node)[0]
        self._names = list(node.keys)
        self._keys: KeyCodes | None = KeyCodes(node.input.schema.keep(node.keys)) if node.keys else None
        self._repeats = node.repeats
        self._is_told = bool(node.keys) or node.repeats
        """Whether every group that is there has been given; not so the one group of a query without keys
        before its first result. Where results are repeated, one of nothing is none."""

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        if self._ledger.is_halted:
            return Delta.empty(delta.clock, self._schema)
        events = self._events(delta)
        if not self._is_told and not len(events.moments):
            events = replace(events, moments=Moments.opening(0))
        self._observe(events)
        if self._ledger.is_halted:
            return Delta.empty(delta.clock, self._schema)
        given = self._changes(events, delta.clock)
        self._forget_empty(events.moments)
        self._is_told = True
        return given

    def take_failures(self) -> pa.Table | None:
        return failures_of(self._stream, self._ledger.take_failures())

    def save(self) -> State:
        keys = {} if self._keys is None else self._keys.save()
        told = pa.table({"told": [self._is_told]})
        return {
            **under("keys", keys),
            **under("tuples", self._population.save()),
            **under("groups", self._ledger.save()),
            "told": told,
        }

    def restore(self, state: State) -> None:
        self._is_told = state["told"]["told"][0].as_py()
        if self._keys is not None:
            self._keys.restore(within("keys", state))
        self._ledger.restore(within("groups", state))
        if tuples := within("tuples", state):
            self._population.restore(tuples)
        survivors = self._population.survivors(self._capacity)
        if survivors is not None:
            self._ledger.rebuild(survivors)

    @abstractmethod
    def _events(self, delta: Delta) -> Events:
        """What happens with these tuples, and with the time that went by."""

    @abstractmethod
    def _observe(self, events: Events) -> None:
        """Have the parts take it in."""

    @abstractmethod
    def _forgotten(self, groups: Places) -> Places:
        """Of groups without tuples that count, those that have none that will."""

    def _groups(self, rows: pa.Table) -> Places:
        return np.zeros(len(rows), np.int64) if self._keys is None else self._keys.codes(rows)

    @property
    def _capacity(self) -> int:
        return 1 if self._keys is None else self._keys.capacity

    @property
    def _exists(self) -> Mask:
        """Whether the group has a result, at each moment."""
        there: Mask = self._live.numbers > 0
        return there if self._keys is not None else np.ones_like(there)

    def _results(self, events: Events) -> list[pa.Array[Any]]:
        fields = list(self._schema)[len(self._names) :]
        results = [aggregate.results(events) for aggregate in self._aggregates]
        return [result.cast(field.type) for result, field in zip(results, fields, strict=True)]

    def _changes(self, events: Events, clock: int) -> Delta:
        moments, results, exists = events.moments, self._results(events), self._exists
        first = 0 if self._is_told else moments.openings
        now = np.arange(moments.openings, len(moments))
        before = moments.before[now]
        had, has = exists[before], exists[now]
        same = had & has & (not self._repeats)
        for result in results:
            same[same] = equal_places(result, before[same], now[same])
        told, ts = (room(first + 2 * len(now), np.int64) for _ in range(2))
        signs = room(len(told), np.int8)
        told[:first], ts[:first], signs[:first] = np.arange(first), BEGINNING, 1
        kinds = had & ~same, has & ~same
        given = moments.instants, moments.before, moments.openings
        count = first + kernels.tell(*given, *kinds, told[first:], ts[first:], signs[first:])
        chosen = told[:count]
        rows = self._rows(results, chosen, moments.groups[chosen])
        return Delta(clock, rows, ts[:count], None, signs[:count])

    def _rows(self, results: list[pa.Array[Any]], chosen: Places, groups: Places) -> pa.Table:
        """The keys and results of chosen moments."""
        named: list[Any] = [] if self._keys is None else self._keys.keys(groups).select(self._names).columns
        return pa.table([*named, *(_taken(result, chosen) for result in results)], schema=self._schema)

    def _forget_empty(self, moments: Moments) -> None:
        """Let go of groups that have no tuples any more."""
        if self._keys is None:
            return
        final = moments.final()
        self._keys.release(self._forgotten(moments.groups[final[~self._exists[final]]]))


def _taken(column: pa.Array[Any], places: Places) -> pa.Array[Any]:
    return gathered([0], [column], places) if are_plain([column]) else column.take(places)


class GroupByOperator(Grouped[Population]):
    """Runs a GroupBy node."""

    def __init__(self, node: GroupBy) -> None:
        ending, population = population_of(node.input.pattern)
        super().__init__(node, Ledger(node.input.schema, ending), population)

    def _events(self, delta: Delta) -> Events:
        return self._population.on_delta(delta, self._groups(delta.rows), self._capacity)

    def _observe(self, events: Events) -> None:
        self._ledger.observe(events)

    def _forgotten(self, groups: Places) -> Places:
        self._ledger.forget(groups)
        return groups
