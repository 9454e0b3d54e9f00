"""Rstream: the whole answer, each time that it changes, in the order in which its rows entered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windrow.buffers.keyed import KeyedRows
from windrow.buffers.parts import State, under, within
from windrow.delta import Delta
from windrow.kernels.multiset import snapshots
from windrow.operators.answer_changes import AnswerChanges
from windrow.operators.base import Operator
from windrow.operators.stays import stays
from windrow.plan.emitting import ToStream


class EachAnswer(Operator):
    """Runs Rstream."""

    def __init__(self, node: ToStream) -> None:
        self._schema = node.schema.arrow
        self._changes = AnswerChanges(node)
        self._answer = KeyedRows(node.schema)

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        changes = self._changes.signed(delta)
        if not len(changes) or changes.sign is None:
            return Delta.empty(delta.clock, self._schema)
        before = self._answer.live()
        changed = self._answer.change(changes.rows, changes.sign)
        instants, at = np.unique(changes.ts, return_inverse=True)
        told, sizes = snapshots(*stays(before, changed, changes.sign, at, len(instants)), len(instants))
        given = Delta(delta.clock, self._answer.take(told), np.repeat(instants, sizes))
        self._answer.forget(changed[changes.sign < 0])
        return given

    def save(self) -> State:
        return {**under("changes", self._changes.save()), **under("answer", self._answer.save())}

    def restore(self, state: State) -> None:
        for name, part in (("changes", self._changes), ("answer", self._answer)):
            if saved := within(name, state):
                part.restore(saved)
