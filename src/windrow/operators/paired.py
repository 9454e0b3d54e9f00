"""What operators have in common that look at each pair of live tuples, and give negative tuples."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import pyarrow as pa

from windrow.buffers.parts import State, under, within
from windrow.delta import Delta, concat
from windrow.operators.base import Operator
from windrow.operators.loners import Loners, Turns
from windrow.operators.signed_inputs import Events
from windrow.operators.signed_pairs import PairedInputs, SignedPairs
from windrow.plan.joins import Matching


class PairedOperator(Operator):
    """Pairs, as they are made and broken, and the rows that turn from alone to paired and back."""

    def __init__(self, node: Matching, loners: Loners) -> None:
        self._schema = node.schema.arrow
        self._inputs = PairedInputs(node)
        self._loners = loners

    @abstractmethod
    def _given(self, events: Events, pairs: SignedPairs, turns: Turns, clock: int) -> Delta:
        """What some pairs and turns give, and take back."""

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        clock = inputs[0].clock
        events = self._inputs.events(inputs)
        self._fit_loners()
        given, begin = [Delta.empty(clock, self._schema)], 0
        for pairs in self._inputs.pairs(events):
            turns = self._loners.turns(events, begin, pairs)
            given.append(self._given(events, pairs, turns, clock))
            begin = pairs.done
        self._inputs.forget(events)
        self._fit_loners()
        return concat([each for each in given if len(each)] or given[:1])

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the state takes."""
        return self._inputs.nbytes + self._loners.nbytes

    @property
    def probes(self) -> int:
        return self._inputs.looked_at

    def take_failures(self) -> pa.Table | None:
        return self._inputs.take_failures()

    def save(self) -> State:
        return {**self._inputs.save(), **under("loners", self._loners.save())}

    def restore(self, state: State) -> None:
        self._inputs.restore(state)
        self._loners.restore(within("loners", state))

    def _fit_loners(self) -> None:
        self._loners.fit(self._inputs.left.rows.capacity, self._inputs.right.rows.capacity)
