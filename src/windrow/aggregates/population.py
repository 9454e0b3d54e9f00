"""Which tuples count: from what arrives to events, for each way in which tuples end."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.events import Events, Numbering, Places, in_order
from windrow.aggregates.ingredients import Arrived
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import Ending
from windrow.aggregates.tuples import Mask, Tuples
from windrow.buffers.departures import Departures
from windrow.buffers.parts import State
from windrow.delta import Delta, Instants, Signs
from windrow.plan.patterns import Pattern

GROUP = "group"
"""The column of what is kept of a tuple that has its group."""


class Population(ABC):
    """The tuples that count now, as far as they have to be known."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._numbering = Numbering()

    @abstractmethod
    def on_delta(self, delta: Delta, groups: Places, capacity: int, asked: Mask | None = None) -> Events:
        """What happens with these tuples, of these groups, and with the time that went by.

        `asked` are the tuples at whose coming results are wanted; None: whatever happens.
        """

    def survivors(self, capacity: int) -> Events | None:
        """The arrivals of all that count now, again; None where they are not known."""
        return None

    def save(self) -> State:
        return {}

    def restore(self, state: State) -> None:
        raise ValueError(f"{type(self).__name__} keeps no tuples")

    def _kept(self, rows: pa.Table, groups: Places, signs: Signs) -> pa.Table:
        columns = [pa.array(groups), *self._ledger.ingredients_of(Arrived(rows, groups, signs))]
        return pa.table(columns, schema=self._schema)

    @property
    def _schema(self) -> pa.Schema:
        return self._ledger.schema.insert(0, pa.field(GROUP, pa.int64()))


class Growing(Population):
    """Tuples that never end."""

    def on_delta(self, delta: Delta, groups: Places, capacity: int, asked: Mask | None = None) -> Events:
        return self._events(delta, np.ones(len(delta), np.int8), groups, capacity, asked)

    def _events(
        self, delta: Delta, signs: Signs, groups: Places, capacity: int, asked: Mask | None
    ) -> Events:
        kept = self._kept(delta.rows, groups, signs)
        rows = np.arange(len(delta))
        wanted = wanted_events(signs, asked)
        places, moments = self._numbering.moments(groups, rows, signs, delta.ts, wanted, capacity)
        return Events(Tuples(kept), groups, None, rows, signs, delta.ts, places, moments, capacity)


class Told(Growing):
    """Tuples whose ends are told by negative tuples."""

    def on_delta(self, delta: Delta, groups: Places, capacity: int, asked: Mask | None = None) -> Events:
        signs = np.ones(len(delta), np.int8) if delta.sign is None else delta.sign
        return self._events(delta, signs, groups, capacity, asked)


class Expiring(Population):
    """Tuples that say when they end: they wait for it."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger)
        self._waiting = Departures(self._schema)

    def on_delta(self, delta: Delta, groups: Places, capacity: int, asked: Mask | None = None) -> Events:
        ends = np.empty(0, np.int64) if delta.exp is None else delta.exp
        arrived = self._kept(delta.rows, groups, np.ones(len(delta), np.int8))
        due_ends, due = self._waiting.due(delta.clock)
        leaving = self._wait(ends, arrived, delta.clock)
        table = pa.concat_tables([due, arrived]) if len(due) else arrived
        all_groups = np.concatenate([due[GROUP].to_numpy(), groups]) if len(due) else groups
        all_ends = np.concatenate([due_ends, ends])
        ending = np.concatenate([np.arange(len(due)), len(due) + leaving])
        ending = _in_order(all_ends[ending], ending)
        rows, signs, instants = in_order(all_ends[ending], ending, delta.ts, len(due))
        wanted = wanted_events(signs, asked)
        places, moments = self._numbering.moments(all_groups, rows, signs, instants, wanted, capacity)
        return Events(Tuples(table), all_groups, all_ends, rows, signs, instants, places, moments, capacity)

    def _wait(self, ends: Instants, arrived: pa.Table, clock: int) -> Places:
        """Let tuples wait for their ends; the places of those whose end has come already."""
        if is_in_order(ends):
            gone = int(np.searchsorted(ends, clock, side="right"))
            self._waiting.add(ends[gone:], arrived.slice(gone))
            return np.arange(gone)
        stays = ends > clock
        self._waiting.add(ends[stays], arrived.filter(pa.array(stays)))
        return np.flatnonzero(~stays)

    def survivors(self, capacity: int) -> Events | None:
        ends, table = self._waiting.waiting()
        return Events.survivors(table[GROUP].to_numpy(), ends, Tuples(table), capacity)

    def save(self) -> State:
        return self._waiting.save()

    def restore(self, state: State) -> None:
        self._waiting.restore(state)


def population_of(pattern: Pattern) -> tuple[Ending, type[Population]]:
    """How the tuples of an edge end, and what keeps them."""
    if pattern is Pattern.MON:
        return Ending.NEVER, Growing
    return (Ending.TOLD, Told) if pattern is Pattern.STR else (Ending.FORESEEN, Expiring)


def wanted_events(signs: Signs, asked: Mask | None) -> Mask:
    """The events whose moments are wanted; `asked` is of those that come, None of all events."""
    if asked is None:
        return np.ones(len(signs), np.bool_)
    wanted = signs > 0
    if not asked.all():
        wanted[wanted] = asked
    return wanted


def _in_order(ends: Instants, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Rows sorted by their ends."""
    return rows if is_in_order(ends) else rows[np.argsort(ends, kind="stable")]


def is_in_order(ends: Instants) -> bool:
    """Whether no end is before one that stands before it."""
    return len(ends) < 2 or bool(np.all(ends[1:] >= ends[:-1]))
