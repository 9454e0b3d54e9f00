"""Ends told by negative tuples: of a window, which keeps its tuples until then, or of a whole answer."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.buffers.parts import State
from windrow.delta import Delta
from windrow.operators.base import Operator
from windrow.operators.ending import Ending
from windrow.operators.netting import netted
from windrow.plan.emitting import Changes
from windrow.plan.expiration import Expire


class ExpireOperator(Operator):
    """Runs an Expire node."""

    def __init__(self, node: Expire | Changes) -> None:
        self._schema = node.schema
        self._ending = Ending(node.input, scanned=node.scanned)

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        return self._ending.signed(delta)

    @property
    def probes(self) -> int | None:
        return self._ending.probes

    def save(self) -> State:
        return self._ending.save()

    def restore(self, state: State) -> None:
        self._ending.restore(state)


class ChangesOperator(ExpireOperator):
    """Runs a Changes node: of each instant it tells the balance."""

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        return netted(super().on_deltas(inputs), self._schema)
