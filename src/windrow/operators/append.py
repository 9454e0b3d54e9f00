"""What internal windows give: results that do not end with the window that they were made in.

Of a STR edge, whose negative tuples say that a window ended them, every tuple that enters is passed on,
but not one that is taken back at the instant at which it came: it never was a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from windrow.delta import Delta, Instants
from windrow.operators.base import Operator
from windrow.operators.netting import lasting
from windrow.plan.windows import Append


class AppendOperator(Operator):
    """Runs an Append node. Keeps no state: an instant is over when the call is."""

    def __init__(self, node: Append) -> None:
        self._node = node

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        lasted = replace(lasting(delta, self._node.input.schema), exp=None, sign=None)
        if not self._node.lifetimes:
            return lasted
        exp = self._ends(lasted)
        return replace(lasted, rows=lasted.rows.drop_columns(list(self._node.lifetimes)), exp=exp)

    def _ends(self, delta: Delta) -> Instants:
        """The least of the instants in the columns that have them."""
        columns = [delta.rows[name].to_numpy() for name in self._node.lifetimes]
        ends: Instants = np.minimum.reduce(columns)
        return ends
