"""DISTINCT, INTERSECT and EXCEPT by counting: how often a value is on either side says how often it is in
the result (nile 4.4 and 4.5). It gives negative tuples, and takes them; of an instant it tells the balance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from windrow.buffers.expiring import ExpiringRows, expiries_for
from windrow.buffers.growing import each_once
from windrow.buffers.parts import State, under, within
from windrow.delta import Delta, Instants, Signs
from windrow.kernels import counted as kernels
from windrow.operators.base import Operator
from windrow.operators.number_values import values_of
from windrow.operators.values import RULES, Values
from windrow.plan.grouping import Distinct
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern

_VALUE = "__value"
_WIDTH = 3
_SIDES = ("left", "right")


@dataclass(frozen=True, slots=True)
class _Events:
    """Tuples that come and go on a side."""

    ts: Instants
    sign: Signs
    values: Values


class CountedOperator(Operator):
    """Runs Distinct, Intersect and Except, whatever their inputs; of these only those that never end give
    results that never do."""

    def __init__(self, node: Distinct | Intersect | Except) -> None:
        self._rule = RULES[type(node)]
        self._distinct = isinstance(node, Distinct) or node.distinct
        self._adds = node.pattern is Pattern.MON
        self._values = values_of(node.schema, _WIDTH)
        self._sides = [_Side(each, scanned=node.scanned) for each in node.inputs]

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the state takes."""
        return self._values.nbytes + sum(side.nbytes for side in self._sides)

    @property
    def probes(self) -> int:
        return sum(side.probes for side in self._sides)

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        clock = inputs[0].clock
        told = [
            side.events(delta, self._values.of(delta.rows))
            for side, delta in zip(self._sides, inputs, strict=True)
        ]
        return self._changes(told, clock)

    def _changes(self, told: Sequence[_Events], clock: int) -> Delta:
        ts, sign, values = (
            np.concatenate([getattr(each, name) for each in told]) for name in ("ts", "sign", "values")
        )
        side = np.repeat(np.arange(len(told), dtype=np.int8), [len(each.ts) for each in told])
        order = np.argsort(ts, kind="stable")
        ts, sign, values, side = ts[order], sign[order], values[order], side[order]
        places, changes = np.empty((2, len(ts)), np.int64)
        state = self._values.numbers
        count = kernels.change(ts, side, sign, values, self._rule, self._distinct, state, places, changes)
        if count < 0:
            raise ValueError("a negative tuple cancels one that entered before, and none did")
        self._values.touch(values)
        given = np.repeat(places[:count], np.abs(changes[:count]))
        signs = np.repeat(np.sign(changes[:count]).astype(np.int8), np.abs(changes[:count]))
        rows = self._values.rows(values[given])
        ended = each_once([values[sign < 0]], self._values.capacity)
        self._values.release(ended[~state[ended, :_WIDTH].any(axis=1)])
        return Delta(clock, rows, ts[given], None, None if self._adds else signs)

    def save(self) -> State:
        sides = zip(_SIDES, self._sides, strict=False)
        ends = {part: table for name, side in sides for part, table in under(name, side.save()).items()}
        return {**self._values.save(), **ends}

    def restore(self, state: State) -> None:
        self._values.restore(state)
        for name, side in zip(_SIDES, self._sides, strict=False):
            side.restore(within(name, state))


class _Side:
    """The ends of one input's tuples that are known beforehand."""

    def __init__(self, node: Node, *, scanned: bool) -> None:
        foreseen = node.pattern in (Pattern.WKS, Pattern.WK)
        schema = pa.schema([(_VALUE, pa.int64())])
        self._ends = ExpiringRows(schema, expiries_for(node.pattern, scanned=scanned)) if foreseen else None

    @property
    def nbytes(self) -> int:
        return 0 if self._ends is None else self._ends.nbytes

    @property
    def probes(self) -> int:
        return 0 if self._ends is None else self._ends.probes

    def events(self, delta: Delta, values: Values) -> _Events:
        """What begins and ends up to the delta's clock."""
        sign = np.ones(len(delta), np.int8) if delta.sign is None else delta.sign
        if self._ends is None:
            return _Events(delta.ts, sign, values)
        if delta.exp is not None:
            self._ends.insert(pa.table({_VALUE: values}), delta.exp)
        ended, ends = self._ends.expire_until(delta.clock)
        gone = ended[_VALUE].to_numpy()
        return _Events(
            np.concatenate([delta.ts, ends]),
            np.concatenate([sign, np.full(len(ends), -1, np.int8)]),
            np.concatenate([values, gone]),
        )

    def save(self) -> State:
        return {} if self._ends is None else self._ends.save()

    def restore(self, state: State) -> None:
        if state:
            assert self._ends is not None
            self._ends.restore(state)
