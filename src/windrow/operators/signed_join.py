"""The join of two inputs that gives negative tuples: where ends are told by such, and where a tuple that
has no partner is given by itself until it finds one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from windrow.buffers.parts import State, under, within
from windrow.delta import Delta, concat
from windrow.kernels.chains import NONE
from windrow.kernels.events import LEFT, RIGHT
from windrow.kernels.loners import ALONE, NEVER
from windrow.operators.base import Operator
from windrow.operators.loners import Loners
from windrow.operators.signed_pairs import Events, SignedPairs, SignedSides
from windrow.operators.signed_side import Slots
from windrow.plan.joins import Join

_PRESERVED = {"inner": (), "left": (LEFT,), "right": (RIGHT,), "full": (LEFT, RIGHT)}
"""The sides whose tuples are given without a partner, too."""


class SignedJoinOperator(Operator):
    """Runs a strict Join."""

    def __init__(self, node: Join) -> None:
        self._schema = node.schema.arrow
        self._columns = (node.left.schema.names, node.right.schema.names)
        self._sides = SignedSides(node)
        preserved = _PRESERVED[node.kind]
        self._loners = Loners(*(ALONE if side in preserved else NEVER for side in (LEFT, RIGHT)))

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        events = self._sides.events(inputs)
        self._fit_loners()
        given = [Delta.empty(inputs[0].clock, self._schema)]
        begin = 0
        for pairs in self._sides.pairs(events):
            given.append(self._given(events, begin, pairs, inputs[0].clock))
            begin = pairs.done
        self._sides.forget(events)
        self._fit_loners()
        return concat([each for each in given if len(each)] or given)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the state takes."""
        return self._sides.nbytes + self._loners.nbytes

    def take_failures(self) -> pa.Table | None:
        return self._sides.take_failures()

    def save(self) -> State:
        return {**self._sides.save(), **under("loners", self._loners.save())}

    def restore(self, state: State) -> None:
        self._sides.restore(state)
        self._loners.restore(within("loners", state))

    def _fit_loners(self) -> None:
        if self._loners.needed:
            left, right = self._sides.sides
            self._loners.fit(left.rows.capacity, right.rows.capacity)

    def _given(self, events: Events, begin: int, pairs: SignedPairs, clock: int) -> Delta:
        """What a block of pairs gives, and takes back."""
        event, left, right, sign = pairs.event, pairs.left, pairs.right, events.sign[pairs.event]
        if self._loners.needed:
            turns = self._loners.turns(events, begin, pairs)
            nobody = np.full(len(turns.slot), NONE)
            left = np.append(left, np.where(turns.side == LEFT, turns.slot, nobody))
            right = np.append(right, np.where(turns.side == RIGHT, turns.slot, nobody))
            event, sign = np.append(event, turns.event), np.append(sign, turns.sign)
            order = np.argsort(event, kind="stable")
            event, left, right, sign = event[order], left[order], right[order], sign[order]
        rows = [self._rows(side, slots) for side, slots in ((LEFT, left), (RIGHT, right))]
        joined = pa.table([column for each in rows for column in each.columns], schema=self._schema)
        return Delta(clock, joined, events.ts[event], sign=sign)

    def _rows(self, side: int, slots: Slots) -> pa.Table:
        """The rows of slots; NULLs for NONE."""
        rows, columns = self._sides.sides[side].rows, self._columns[side]
        there = slots != NONE
        if there.all():
            return rows.take(slots, columns)
        places = pa.array(np.cumsum(there) - 1, mask=~there)
        return rows.take(slots[there], columns).take(places)
