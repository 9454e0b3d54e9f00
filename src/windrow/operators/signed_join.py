"""The join of two inputs that gives negative tuples: where ends are told by such, and where a tuple that
has no partner is given by itself until it finds one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from windrow.buffers.slots import SlottedRows
from windrow.delta import Delta
from windrow.kernels.chains import NONE
from windrow.kernels.events import LEFT, RIGHT
from windrow.kernels.loners import ALONE, NEVER
from windrow.operators.loners import Loners, Turns
from windrow.operators.paired import PairedOperator
from windrow.operators.signed_inputs import Events
from windrow.operators.signed_pairs import SignedPairs
from windrow.operators.signed_side import Slots
from windrow.plan.joins import Join

_PRESERVED = {"inner": (), "left": (LEFT,), "right": (RIGHT,), "full": (LEFT, RIGHT)}
"""The sides whose tuples are given without a partner, too."""


class SignedJoinOperator(PairedOperator):
    """Runs a strict Join."""

    def __init__(self, node: Join) -> None:
        preserved = _PRESERVED[node.kind]
        when = (ALONE if side in preserved else NEVER for side in (LEFT, RIGHT))
        super().__init__(node, Loners(*when))
        self._left, self._right = node.left.schema.names, node.right.schema.names

    def _given(self, events: Events, pairs: SignedPairs, turns: Turns, clock: int) -> Delta:
        event, left, right, sign = pairs.event, pairs.left, pairs.right, events.sign[pairs.event]
        if len(turns.event):
            left = np.append(left, np.where(turns.side == LEFT, turns.slot, NONE))
            right = np.append(right, np.where(turns.side == RIGHT, turns.slot, NONE))
            event, sign = np.append(event, turns.event), np.append(sign, turns.sign)
            order = np.argsort(event, kind="stable")
            event, left, right, sign = event[order], left[order], right[order], sign[order]
        one = _rows(self._inputs.left.rows, left, self._left)
        other = _rows(self._inputs.right.rows, right, self._right)
        joined = pa.table([*one.columns, *other.columns], schema=self._schema)
        return Delta(clock, joined, events.ts[event], sign=sign)


def _rows(rows: SlottedRows, slots: Slots, columns: Sequence[str]) -> pa.Table:
    """The rows in slots; NULLs for NONE."""
    there = slots != NONE
    if there.all():
        return rows.take(slots, columns)
    places = pa.array(np.cumsum(there) - 1, mask=~there)
    return rows.take(slots[there], columns).take(places)
