"""Stops an aggregate that cannot go on, and nothing else: it returns nothing more, and says why once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from windrow.aggregates.user_defined.machine import Halt, Machine, Returned, Steps
from windrow.buffers.parts import State, under, within
from windrow.catalog import Aggregate
from windrow.errors import CheckpointError

_HALTED, _FORM = "halted", "form"


class Guarded(Machine):
    """Another machine, until it halts."""

    def __init__(self, aggregate: Aggregate, machine: Machine) -> None:
        self._aggregate, self._machine = aggregate, machine
        self.is_halted = False

    def run(self, steps: Steps, arguments: pa.Table) -> Returned:
        if self.is_halted:
            return _nothing(self._aggregate)
        try:
            return self._machine.run(steps, arguments)
        except Halt as halt:
            self.is_halted = True
            before = halt.before or _nothing(self._aggregate)
            reason = f"{self._aggregate.name} is stopped: {halt}"
            failed = np.append(before.failed, halt.step)
            return Returned(
                before.steps, before.rows, before.ended, failed, (*before.reasons, reason), True
            )

    def save(self) -> State:
        halted = pa.table({_HALTED: [self.is_halted], _FORM: [self._machine.form]})
        return {**under("machine", self._machine.save()), _HALTED: halted}

    def restore(self, state: State) -> None:
        self.is_halted = state[_HALTED][_HALTED][0].as_py()
        if (form := state[_HALTED][_FORM][0].as_py()) != self._machine.form:
            raise CheckpointError(
                f"{self._aggregate.name} remembers {form}, and now keeps {self._machine.form}",
                hint="its class has changed: drop the queries that call it, and start them anew",
            )
        self._machine.restore(within("machine", state))


def _nothing(aggregate: Aggregate) -> Returned:
    none = np.empty(0, np.int64)
    names = aggregate.returns.arrow
    return Returned(none, names.empty_table(), none, none)
