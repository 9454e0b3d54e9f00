"""The join of two inputs that gives negative tuples: where ends are told by such, and where a tuple that
has no partner is given by itself until it finds one.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from windrow.delta import Delta
from windrow.kernels.chains import NONE
from windrow.kernels.events import LEFT, RIGHT
from windrow.kernels.loners import ALONE, NEVER
from windrow.operators.loners import Loners, Turns
from windrow.operators.paired import PairedOperator
from windrow.operators.signed_inputs import Events
from windrow.operators.signed_pairs import SignedPairs
from windrow.plan.joins import Join, RelationJoin

_PRESERVED = {"inner": (), "left": (LEFT,), "right": (RIGHT,), "full": (LEFT, RIGHT)}
"""The sides whose tuples are given without a partner, too."""


class SignedJoinOperator(PairedOperator):
    """Runs a strict Join, or one with a relation whose updates reach back."""

    def __init__(self, node: Join | RelationJoin) -> None:
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
        one = self._inputs.left.rows.take_or_null(left, self._left)
        other = self._inputs.right.rows.take_or_null(right, self._right)
        joined = pa.table([*one.columns, *other.columns], schema=self._schema)
        return Delta(clock, joined, events.ts[event], sign=sign)
