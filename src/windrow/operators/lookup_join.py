"""The join with an NRR."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from windrow.delta import Delta
from windrow.kernels.chains import NONE
from windrow.operators.lookups import LookupOperator, Places
from windrow.operators.signed_side import Slots
from windrow.plan.joins import RelationJoin


class LookupJoinOperator(LookupOperator):
    """Runs a RelationJoin with an NRR."""

    def __init__(self, node: RelationJoin) -> None:
        super().__init__(node)
        self._schema = node.schema.arrow
        self._columns = node.right.schema.names
        self._is_outer = node.kind == "left"

    def _given(self, left: Delta, changes: Delta, tuples: Places, slots: Slots) -> Delta:
        if self._is_outer:
            tuples, slots = _with_loners(tuples, slots, len(left))
        each_once = len(tuples) == len(left) and bool((tuples[1:] > tuples[:-1]).all())
        ours = left if each_once else left.take(tuples)
        theirs = self._rows.take(slots, self._columns)
        return replace(ours, rows=pa.table([*ours.rows.columns, *theirs.columns], schema=self._schema))


def _with_loners(tuples: Places, slots: Slots, count: int) -> tuple[Places, Slots]:
    """Also the tuples that found no row, with NONE, each at its place."""
    alone = np.ones(count, np.bool_)
    alone[tuples] = False
    if not alone.any():
        return tuples, slots
    loners = np.flatnonzero(alone)
    tuples, slots = np.append(tuples, loners), np.append(slots, np.full(len(loners), NONE))
    order = np.argsort(tuples, kind="stable")
    return tuples[order], slots[order]
