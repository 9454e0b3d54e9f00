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
from windrow.aggregates.parts import Failure
from windrow.aggregates.tuples import Column
from windrow.aggregates.user_defined.calls import Arguments, Taken
from windrow.aggregates.user_defined.choose import machine_for
from windrow.aggregates.user_defined.fresh import as_values
from windrow.aggregates.user_defined.machine import Ints, Mask, Step, Steps
from windrow.aggregates.user_defined.side_by_side import Results
from windrow.buffers.parts import State, under, within
from windrow.catalog import Aggregate
from windrow.expressions.failures import Failures
from windrow.expressions.json_rows import json_rows
from windrow.kernels.steps import spread, steps_of_events


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
        self._arrived: pa.Table | None = None
        self._failed: list[Failure] = []
        body = aggregate.body
        self._answers = aggregate.blocking if body is None else bool(body.events.get(Event.TERMINATE))

    def take(self, arrived: Arrived) -> Ints:
        """Take the arguments of tuples that come; the places of those that count."""
        self._taken = taken = self._arguments.of(arrived.rows, arrived.groups)
        self._arrived = arrived.rows
        if taken.failures is not None:
            self._note(taken.failures)
        return taken.rows

    def results(self, events: Events, heard: Mask, *, always: bool = False) -> Results:
        """What is returned at the events at which somebody listens, by event.

        TERMINATE is done where something happens that counts, and belongs to all events of its moment; or
        it is done `always`, and belongs to the last of them.
        """
        steps, at, is_shared = self._steps(events, heard, always)
        assert self._taken is not None
        returned = self._machine.run(steps, self._taken.arguments)
        self._note_failures(events, at[returned.failed], returned.reasons)
        results = Results(at[returned.steps], as_values(self._aggregate, returned.rows))
        if always or not is_shared:
            return results
        ends = steps.kinds[returned.steps] == Step.TERMINATE
        asked = heard & (events.counting(self._counted) != 0) & (events.places >= 0)
        first, number = np.zeros((2, len(events.moments)), np.int64)
        tuples, rows = spread(results.tuples, ends, events.places, asked, first, number)
        return Results(tuples, results.values.take(pa.array(rows)))

    def _steps(self, events: Events, heard: Mask, always: bool) -> tuple[Steps, Ints, bool]:
        """What happens, of each step its event, and whether answers belong to several events."""
        counts = events.counting(self._counted)
        answers = len(events.moments) * (2 if self._restarts else 1) if self._answers else 0
        most = len(events.rows) + answers
        at, groups = np.empty(most, np.int64), np.empty(most, np.int64)
        kinds, told = np.empty(most, np.int8), np.empty(most, np.bool_)
        count, is_shared = steps_of_events(
            events.rows,
            events.groups,
            counts,
            heard,
            events.places,
            np.full(len(events.moments), -1, np.int64),
            self._answers,
            self._restarts,
            always,
            at,
            groups,
            kinds,
            told,
        )
        return Steps(groups[:count], kinds[:count], told[:count]), at[:count], is_shared

    def openings(self, events: Events) -> Results:
        """What TERMINATE returns before anything happens, by opening."""
        groups = events.moments.groups[: events.moments.openings]
        steps = Steps(groups, np.full(len(groups), Step.TERMINATE, np.int8))
        returned = self._machine.run(steps, self._aggregate.parameters.arrow.empty_table())
        return Results(returned.steps, as_values(self._aggregate, returned.rows))

    @property
    def is_halted(self) -> bool:
        """It could not go on, and returns nothing any more."""
        return self._machine.is_halted

    def take_failures(self) -> list[Failure]:
        """The tuples on which something failed since the last call; they are forgotten."""
        failed, self._failed = self._failed, []
        return failed

    def save(self) -> State:
        return {**under("arguments", self._arguments.save()), **under("machine", self._machine.save())}

    def restore(self, state: State) -> None:
        self._arguments.restore(within("arguments", state))
        self._machine.restore(within("machine", state))

    def _note_failures(self, events: Events, failed: Ints, reasons: tuple[str, ...]) -> None:
        if len(failed):
            arrival = np.cumsum(events.signs > 0) - 1
            self._note(Failures(np.where(events.signs[failed] > 0, arrival[failed], -1), reasons))

    def _note(self, failures: Failures) -> None:
        """Note tuples by their places; one at -1 came before."""
        assert self._arrived is not None
        texts = iter(json_rows(self._arrived.take(failures.rows[failures.rows >= 0])))
        told = (next(texts) if known else None for known in failures.rows >= 0)
        self._failed += zip(told, failures.reasons, strict=True)


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
