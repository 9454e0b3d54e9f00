"""The union of streams: a merge by timestamp, ties in the order of the inputs. Keeps no state,
because all inputs of a call are complete up to the same clock.

The inputs are sorted runs, which numpy's stable sort finds and merges in linear time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from windrow.delta import Delta, concat, in_time_order
from windrow.operators.base import Operator
from windrow.plan.nodes import Union


class MergeUnion(Operator):
    """Runs a Union node."""

    def __init__(self, node: Union) -> None:
        self._names = list(node.schema.names)

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        renamed = [replace(delta, rows=delta.rows.rename_columns(self._names)) for delta in inputs]
        return in_time_order(concat([delta for delta in renamed if len(delta)] or renamed[:1]))
