"""Non-blocking aggregates over a stream: what each returns as tuples come, by group.

Groups are remembered for ever; the definitions say how much of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from sqlglot import exp

from windrow.aggregates.user_defined.calls import Arguments, Taken, version
from windrow.aggregates.user_defined.choose import machine_for
from windrow.aggregates.user_defined.fresh import as_values
from windrow.aggregates.user_defined.machine import Ints, Step, Steps
from windrow.aggregates.user_defined.side_by_side import Results, side_by_side
from windrow.buffers.keys import KeyCodes
from windrow.buffers.parts import State, under, within
from windrow.delta import Delta
from windrow.expressions.failures import Failures
from windrow.expressions.json_rows import json_rows
from windrow.operators.base import FAILURES, Operator
from windrow.plan.grouping import Accumulate
from windrow.plan.nodes import origins
from windrow.schema import Schema


class AccumulateOperator(Operator):
    """Runs an Accumulate node."""

    def __init__(self, node: Accumulate) -> None:
        self._calls = [_Call(call, node.input.schema) for call in node.aggregates]
        self._keys = KeyCodes(node.input.schema.keep(node.keys)) if node.keys else None
        self._names = list(node.keys)
        self._schema = node.schema.arrow
        self._stream = origins(node)[0]
        self._failed: list[pa.Table] = []

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        if any(call.is_halted for call in self._calls):
            return Delta.empty(delta.clock, self._schema)
        groups = np.zeros(len(delta), np.int64) if self._keys is None else self._keys.codes(delta.rows)
        results = []
        for call in self._calls:
            given, failures = call.on_arrivals(delta.rows, groups)
            results.append(given)
            self._failed += [self._told(delta.rows, each) for each in failures]
        tuples, values = side_by_side(results, len(delta))
        keys = delta.rows.select(self._names).take(tuples)
        return Delta(delta.clock, pa.table([*keys.columns, *values], schema=self._schema), delta.ts[tuples])

    def take_failures(self) -> pa.Table | None:
        failed, self._failed = self._failed, []
        return pa.concat_tables(failed) if failed else None

    def save(self) -> State:
        saved = {} if self._keys is None else under("keys", self._keys.save())
        for place, call in enumerate(self._calls):
            saved |= under(f"call{place}", call.save())
        return saved

    def restore(self, state: State) -> None:
        if self._keys is not None:
            self._keys.restore(within("keys", state))
        for place, call in enumerate(self._calls):
            call.restore(within(f"call{place}", state))

    def _told(self, rows: pa.Table, failures: Failures) -> pa.Table:
        texts = json_rows(rows.take(failures.rows))
        return pa.table([[self._stream] * len(texts), texts, list(failures.reasons)], schema=FAILURES)


class _Call:
    """One aggregate at work."""

    def __init__(self, call: exp.Expr, input_: Schema) -> None:
        found = version(call, window=False)
        if found is None:
            raise ValueError("only base aggregates accumulate")
        self._aggregate = found
        self._arguments = Arguments(call, found, input_)
        self._machine = machine_for(found)

    def on_arrivals(self, rows: pa.Table, groups: Ints) -> tuple[Results, list[Failures]]:
        taken = self._arguments.of(rows, groups)
        steps = Steps(groups[taken.rows], np.full(len(taken.rows), Step.ARRIVE, np.int8))
        returned = self._machine.run(steps, taken.arguments)
        values = as_values(self._aggregate, returned.rows)
        failed = Failures(taken.rows[returned.failed], returned.reasons)
        return Results(taken.rows[returned.steps], values), [
            *_own(taken),
            *([failed] if failed.reasons else []),
        ]

    @property
    def is_halted(self) -> bool:
        return self._machine.is_halted

    def save(self) -> State:
        return {**under("arguments", self._arguments.save()), **under("machine", self._machine.save())}

    def restore(self, state: State) -> None:
        self._arguments.restore(within("arguments", state))
        self._machine.restore(within("machine", state))


def _own(taken: Taken) -> list[Failures]:
    return [] if taken.failures is None else [taken.failures]
