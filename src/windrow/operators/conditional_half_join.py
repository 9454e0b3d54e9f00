"""EXISTS and NOT EXISTS, IN and NOT IN, with a condition beyond keys: each left row counts its partners."""

from __future__ import annotations

from windrow.delta import Delta
from windrow.kernels.loners import ALONE, TOGETHER
from windrow.operators.loners import Loners, Turns
from windrow.operators.paired import PairedOperator
from windrow.operators.signed_inputs import Events
from windrow.operators.signed_pairs import SignedPairs
from windrow.plan.joins import Negation, SemiJoin
from windrow.plan.patterns import Pattern


class ConditionalHalfJoinOperator(PairedOperator):
    """Runs a Negation or a SemiJoin."""

    def __init__(self, node: SemiJoin | Negation) -> None:
        self._is_signed = node.pattern is Pattern.STR
        super().__init__(node, Loners(ALONE if isinstance(node, Negation) else TOGETHER))

    def _given(self, events: Events, pairs: SignedPairs, turns: Turns, clock: int) -> Delta:
        rows = self._inputs.left.rows.take(turns.slot, self._schema.names)
        return Delta(clock, rows, events.ts[turns.event], sign=turns.sign if self._is_signed else None)
