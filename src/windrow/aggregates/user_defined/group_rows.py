"""Tables of which each group has its own, side by side: taken out by group, changed, and put back.

What is saved are the rows themselves in the order in which they were put, so parts change only where
groups did.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.aggregates.user_defined.machine import Ints
from windrow.buffers.parts import State
from windrow.buffers.rows import RowStore

GROUP = "__group"
ORDINAL = "__ordinal"
"""Rises within a group, in the order of its rows."""


class GroupRows:
    """The rows of one table in all groups. They have the columns `GROUP` and `ORDINAL` besides."""

    def __init__(self, schema: pa.Schema) -> None:
        control = [pa.field(GROUP, pa.int64()), pa.field(ORDINAL, pa.int64())]
        self.schema = pa.schema([*control, *schema])
        self._rows = RowStore(self.schema)
        self._numbers = np.empty(0, np.int64)
        self._groups = np.empty(0, np.int64)

    def take_out(self, groups: Ints) -> pa.Table:
        """The rows of these groups, each in its order; they are not here any more."""
        taken = np.isin(self._groups, groups)
        numbers = self._numbers[taken]
        rows = self._rows.take(numbers)
        self._rows.release(numbers)
        self._numbers, self._groups = self._numbers[~taken], self._groups[~taken]
        return in_order(rows)

    def put(self, rows: pa.Table) -> None:
        """Keep rows of groups that have none here."""
        first = self._rows.append(rows.cast(self.schema))
        self._numbers = np.concatenate([self._numbers, np.arange(first, first + len(rows))])
        self._groups = np.concatenate([self._groups, rows[GROUP].to_numpy()])

    def rows(self) -> pa.Table:
        """All rows; they stay."""
        return self._rows.take(self._numbers)

    def save(self) -> State:
        return self._rows.save()

    def restore(self, state: State) -> None:
        self._rows.restore(state)
        self._numbers = self._rows.live()
        self._groups = self._rows.take(self._numbers, [GROUP])[GROUP].to_numpy()


def in_order(rows: pa.Table) -> pa.Table:
    """Rows group by group, each in its order."""
    return rows.take(pc.sort_indices(rows, [(GROUP, "ascending"), (ORDINAL, "ascending")]))
