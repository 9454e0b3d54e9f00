"""EXISTS and NOT EXISTS, IN and NOT IN of an NRR: the tuples that found a row when they came, or none."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from windrow.buffers.parts import State
from windrow.delta import Delta
from windrow.kernels.chains import NONE
from windrow.operators.lookups import LookupOperator, Places
from windrow.operators.signed_side import Slots
from windrow.plan.joins import RelationHalfJoin

Mask = npt.NDArray[np.bool_]


class LookupHalfJoinOperator(LookupOperator):
    """Runs a RelationHalfJoin; one that heeds NULLs has one key and no condition."""

    def __init__(self, node: RelationHalfJoin) -> None:
        super().__init__(node)
        self._anti = node.anti
        self._compared = node.keys[0] if node.null_aware else None
        """The two columns of which NULLs are heeded."""
        self._total, self._nulls = 0, 0
        """Of the rows, and of those whose key is NULL; counted where NULLs are heeded."""

    def _given(self, left: Delta, changes: Delta, tuples: Places, slots: Slots) -> Delta:
        found = np.zeros(len(left), np.bool_)
        found[tuples] = True
        if self._compared:
            found |= self._unknown(left, changes, *self._compared)
        return left.take(found != self._anti)

    def restore(self, state: State) -> None:
        super().restore(state)
        keys = self._rows.keys()
        self._total, self._nulls = len(keys), int(np.count_nonzero(keys == NONE))

    def _unknown(self, left: Delta, changes: Delta, of_left: str, of_right: str) -> Mask:
        """The tuples of which nobody knows whether they are among the rows, because of a NULL."""
        assert changes.sign is not None
        totals = self._total + np.cumsum(np.append(0, changes.sign))
        nulls = self._nulls + np.cumsum(np.append(0, changes.sign * _is_null(changes, of_right)))
        self._total, self._nulls = int(totals[-1]), int(nulls[-1])
        at = np.searchsorted(changes.ts, left.ts)
        unknown: Mask = (nulls[at] > 0) | (_is_null(left, of_left) & (totals[at] > 0))
        return unknown


def _is_null(delta: Delta, name: str) -> Mask:
    return np.asarray(pc.is_null(delta.rows[name]))
