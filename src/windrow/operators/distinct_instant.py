"""One of all equal tuples with the same timestamp; NULLs are equal.

Assumes input without negative tuples, in time order: once a later timestamp or clock has been
seen, an instant is over, so the state is the newest instant alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.parts import State
from windrow.delta import BEGINNING, Delta, concat
from windrow.expressions.duplicates import first_of_equals
from windrow.operators.base import Operator
from windrow.plan.nodes import DistinctInstant
from windrow.plan.patterns import Pattern


class DistinctInstantOperator(Operator):
    """Runs a DistinctInstant node."""

    def __init__(self, node: DistinctInstant) -> None:
        if node.input.pattern is Pattern.STR:
            raise ValueError("DISTINCT of an instant cannot take negative tuples back")
        self._newest = Delta.empty(BEGINNING, node.schema.arrow)
        """The tuples given out at the newest instant."""

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        known = len(self._newest)
        both = concat([self._newest, delta]) if known else delta
        first = _first_of_equals(both)
        given = both.take(first[first >= known]).at(delta.clock)
        self._newest = _newest(both.take(first), delta.clock)
        return given

    def save(self) -> State:
        return {"newest": self._newest.to_table()} if len(self._newest) else {}

    def restore(self, state: State) -> None:
        self._newest = Delta.from_table(BEGINNING, state["newest"])


def _first_of_equals(delta: Delta) -> npt.NDArray[np.int64]:
    """Only neighbours in time can be equal, so only they are looked at."""
    tied = delta.ts[1:] == delta.ts[:-1]
    shared = np.append(tied, False) | np.insert(tied, 0, False)
    if not tied.any():
        return np.arange(len(delta))
    candidates = np.flatnonzero(shared)
    table = delta.rows.take(candidates).append_column("__ts", pa.array(delta.ts[candidates]))
    alone = np.flatnonzero(~shared)
    return np.sort(np.concatenate([alone, candidates[first_of_equals(table)]]))


def _newest(delta: Delta, clock: int) -> Delta:
    """The tuples of the last instant, while more of them may come."""
    last = delta.ts[-1] if len(delta) else BEGINNING
    return delta.take(np.flatnonzero((delta.ts == last) & (delta.ts >= clock)))
