"""The changes of an answer as a stream needs them: at each instant their balance.

Restored, a periodic query is computed at every instant, and what its answer did since its last evaluation
is told at the next: also what came and went in between (thesis 3.3.4).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from windrow.buffers.parts import State, under, within
from windrow.delta import Delta
from windrow.operators.ending import Ending
from windrow.operators.netting import netted
from windrow.operators.time_window import slot
from windrow.operators.waiting import Waiting
from windrow.plan.emitting import ToStream


class AnswerChanges:
    """The changes of an answer: at each instant their balance; or told when the query is evaluated."""

    def __init__(self, node: ToStream) -> None:
        self._schema, self._every = node.schema, node.every
        self._ending = Ending(node.input, scanned=node.scanned)
        nothing = replace(Delta.empty(0, self._schema.arrow), sign=np.empty(0, np.int8))
        self._waiting = Waiting(nothing)

    def signed(self, delta: Delta) -> Delta:
        """Signed tuples; of one instant, those that leave come before those that enter."""
        changes = netted(self._ending.signed(delta), self._schema)
        if self._every is None:
            return changes
        self._waiting.hold(changes, slot(changes.ts, self._every))
        return self._waiting.release(delta.clock)

    def save(self) -> State:
        return {**under("ending", self._ending.save()), **under("waiting", self._waiting.save())}

    def restore(self, state: State) -> None:
        for name, part in (("ending", self._ending), ("waiting", self._waiting)):
            if saved := within(name, state):
                part.restore(saved)
