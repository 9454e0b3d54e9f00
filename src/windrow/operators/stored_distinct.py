"""DISTINCT as the direct approach does it (thesis 2.3.3, 3.2.2): the whole input is stored in the order of
arrival, and searched for what has ended, and for the youngest duplicate. It is here to be compared with.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import RowStore
from windrow.delta import BEGINNING, Delta
from windrow.kernels.counted import LEFT
from windrow.operators.delta_star import Arrived, TakingOver
from windrow.plan.grouping import Distinct

_VALUE, _END = "value", "end"


class StoredDistinct(TakingOver):
    """Runs a Distinct whose input is neither strict nor monotonic. Which duplicate is the youngest is not
    remembered from call to call."""

    def __init__(self, node: Distinct) -> None:
        super().__init__(node)
        self._input = RowStore(pa.schema([(_VALUE, pa.int64()), (_END, pa.int64())]))
        self._searched = 0

    @property
    def nbytes(self) -> int:
        return super().nbytes + self._input.nbytes

    @property
    def probes(self) -> int:
        return super().probes + self._searched

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        self._find_youngest()
        given = super().on_deltas(inputs)
        self._forget_youngest(inputs[0].clock)
        return given

    def save(self) -> State:
        state = super().save()
        return {**state, **under("input", self._input.save())} if state else {}

    def restore(self, state: State) -> None:
        super().restore(state)
        self._input.restore(within("input", state))

    def _arrive(self, arrived: Arrived) -> None:
        self._input.append(pa.table({_VALUE: arrived.values, _END: arrived.exp}))
        super()._arrive(arrived)

    def _find_youngest(self) -> None:
        stored = self._input.take(self._input.live())
        self._searched += len(stored)
        ends = stored[_END].to_numpy().view(np.uint64) ^ np.uint64(BEGINNING % 2**64)
        np.maximum.at(self._state[:, LEFT], stored[_VALUE].to_numpy(), ends)

    def _forget_youngest(self, clock: int) -> None:
        self._state[:, LEFT] = 0
        numbers = self._input.live()
        ended = self._input.take(numbers, [_END])[_END].to_numpy() <= clock
        self._searched += len(numbers)
        self._input.release(numbers[ended])
