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
from windrow.plan.grouping import GroupBy
from windrow.plan.nodes import Calculate, Node


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
    """Runs a Changes node: of each instant it tells the balance. Groups do so themselves."""

    def __init__(self, node: Changes) -> None:
        super().__init__(node)
        self._is_balanced = _is_balanced(node.input)

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        changes = super().on_deltas(inputs)
        return changes if self._is_balanced else netted(changes, self._schema)


def _is_balanced(node: Node) -> bool:
    """Whether of each instant only the balance is told, what is taken away first."""
    if isinstance(node, Calculate) and node.expressions is None:
        return _is_balanced(node.input)
    return isinstance(node, GroupBy) and not node.repeats
