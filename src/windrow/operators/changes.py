"""The changes of an answer: every end is told by a negative tuple, every instant by its balance."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.buffers.parts import State
from windrow.delta import Delta
from windrow.operators.base import Operator
from windrow.operators.ending import Ending
from windrow.operators.netting import netted
from windrow.plan.emitting import Changes


class ChangesOperator(Operator):
    """Runs a Changes node."""

    def __init__(self, node: Changes) -> None:
        self._schema = node.schema
        self._ending = Ending(node.input)

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        return netted(self._ending.signed(delta), self._schema)

    def save(self) -> State:
        return self._ending.save()

    def restore(self, state: State) -> None:
        self._ending.restore(state)
