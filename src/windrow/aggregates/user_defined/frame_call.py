"""A call of an aggregate of the user's own over frames: arrivals and departures, one after another, become
steps of its machine, and what it returns belongs to the tuples that came or went. Where frames share no
tuples, departures are nothing to it, and it begins anew behind each result.

A definition with TERMINATE is asked for its result when all that happens to a group at an instant has
happened, and each tuple of that instant has the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from windrow.aggregate_body import Event
from windrow.aggregates.events import Events
from windrow.aggregates.ingredients import Arrived, Ingredient
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.tuples import Column
from windrow.aggregates.user_defined.calls import Arguments, Taken
from windrow.aggregates.user_defined.choose import machine_for
from windrow.aggregates.user_defined.fresh import as_values
from windrow.aggregates.user_defined.machine import Ints, Mask, Step, Steps
from windrow.aggregates.user_defined.side_by_side import Results, taken_or_null
from windrow.buffers.parts import State, under, within
from windrow.catalog import Aggregate
from windrow.expressions.failures import Failures


class FrameCall:
    """One call at work."""

    def __init__(
        self, call: exp.Expr, aggregate: Aggregate, ledger: Ledger, *, restarts: bool = False
    ) -> None:
        self._aggregate, self._restarts = aggregate, restarts
        self._arguments = Arguments(call, aggregate, ledger.input)
        self._machine = machine_for(aggregate)
        self._counted = ledger.ingredient(_Counted(self))
        self._taken: Taken | None = None
        self._failed: list[Failures] = []
        body = aggregate.body
        self._answers = aggregate.blocking if body is None else bool(body.events.get(Event.TERMINATE))

    def take(self, arrived: Arrived) -> Ints:
        """Take the arguments of tuples that come; the places of those that count."""
        self._taken = taken = self._arguments.of(arrived.rows, arrived.groups)
        if taken.failures is not None:
            self._failed.append(taken.failures)
        return taken.rows

    def results(self, events: Events, heard: Mask, *, always: bool = False) -> Results:
        """What is returned at the events at which somebody listens, by event.

        TERMINATE is done where something happens that counts, and belongs to all events of its moment; or
        it is done `always`, and belongs to the last of them.
        """
        signs = events.counting(self._counted)
        counts = signs > 0 if self._restarts else signs != 0
        counted, asked = np.flatnonzero(counts), heard if always else heard & counts
        asking = self._asking(events, asked)
        ending = asking if self._restarts else asking[:0]
        at = np.concatenate([counted, asking, ending])
        comes = events.signs[counted] > 0
        ends = np.repeat([Step.TERMINATE, Step.FORGET], [len(asking), len(ending)])
        kinds = np.concatenate([np.where(comes, Step.ARRIVE, Step.EXPIRE), ends])
        order = np.argsort(at * len(Step) + kinds, kind="stable")  # merges what is sorted already
        at, kinds = at[order], kinds[order].astype(np.int8)
        steps = Steps(events.groups[events.rows[at]], kinds, heard[at] | (kinds == Step.TERMINATE))
        assert self._taken is not None
        returned = self._machine.run(steps, self._taken.arguments)
        self._note_failures(events, at[returned.failed], returned.reasons)
        values = as_values(self._aggregate, returned.rows)
        where, answers = at[returned.steps], kinds[returned.steps] == Step.TERMINATE
        returned_at = Results(where, values)
        return returned_at if always else _spread(returned_at, answers, events, asked)

    def openings(self, events: Events) -> Results:
        """What TERMINATE returns before anything happens, by opening."""
        groups = events.moments.groups[: events.moments.openings]
        steps = Steps(groups, np.full(len(groups), Step.TERMINATE, np.int8))
        returned = self._machine.run(steps, self._aggregate.parameters.arrow.empty_table())
        return Results(returned.steps, as_values(self._aggregate, returned.rows))

    def take_failures(self) -> list[Failures]:
        """The tuples that came and on which something failed, by place; -1 for one that went."""
        failed, self._failed = self._failed, []
        return failed

    def save(self) -> State:
        return {**under("arguments", self._arguments.save()), **under("machine", self._machine.save())}

    def restore(self, state: State) -> None:
        self._arguments.restore(within("arguments", state))
        self._machine.restore(within("machine", state))

    def _asking(self, events: Events, asked: Mask) -> Ints:
        """The events behind which TERMINATE is done: the last of each moment."""
        if not self._answers:
            return np.empty(0, np.int64)
        askers = np.flatnonzero(asked & (events.places >= 0))
        last = np.full(len(events.moments), -1)
        last[events.places[askers]] = askers
        return np.sort(last[last >= 0])

    def _note_failures(self, events: Events, failed: Ints, reasons: tuple[str, ...]) -> None:
        if len(failed):
            arrival = np.cumsum(events.signs > 0) - 1
            places = np.where(events.signs[failed] > 0, arrival[failed], -1)
            self._failed.append(Failures(places, reasons))


@dataclass(frozen=True, eq=False)
class _Counted(Ingredient):
    """Which tuples count for a call."""

    call: FrameCall

    @property
    def type(self) -> pa.DataType:
        return pa.int8()

    def of(self, arrived: Arrived) -> Column:
        there = np.zeros(len(arrived.rows), np.bool_)
        there[self.call.take(arrived)] = True
        column: pa.Array[Any] = pa.array(np.ones(len(there), np.int8), mask=~there)
        return column


def _spread(results: Results, ends: Mask, events: Events, asked: Mask) -> Results:
    """Give what TERMINATE returned, at the results marked as ends, to all events of its moment."""
    if not ends.any():
        return results
    askers = np.flatnonzero(asked & (events.places >= 0))
    askers = askers[np.argsort(events.places[askers], kind="stable")]
    number = np.bincount(events.places[askers], minlength=len(events.moments))
    first = np.cumsum(number) - number
    moments = events.places[results.tuples]
    times = np.where(ends, number[moments], 1)
    rows = np.repeat(np.arange(len(times)), times)
    rank = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    of_moment = askers[np.minimum(first[moments[rows]] + rank, len(askers) - 1)]
    tuples = np.where(ends[rows], of_moment, results.tuples[rows])
    order = np.argsort(tuples, kind="stable")
    return Results(tuples[order], taken_or_null(results.values, rows[order]))
