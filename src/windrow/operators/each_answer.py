"""Rstream: the whole answer, each time that it changes, in the order in which its rows entered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windrow.buffers.keyed import KeyedRows
from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import Numbers
from windrow.delta import Delta, Signs
from windrow.kernels.multiset import snapshots
from windrow.operators.answer_changes import AnswerChanges
from windrow.operators.base import Operator
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
        told, sizes = snapshots(*_stays(before, changed, changes.sign, at, len(instants)), len(instants))
        given = Delta(delta.clock, self._answer.take(told), np.repeat(instants, sizes))
        self._answer.forget(changed[changes.sign < 0])
        return given

    def save(self) -> State:
        return {**under("changes", self._changes.save()), **under("answer", self._answer.save())}

    def restore(self, state: State) -> None:
        for name, part in (("changes", self._changes), ("answer", self._answer)):
            if saved := within(name, state):
                part.restore(saved)


def _stays(
    before: Numbers, changed: Numbers, sign: Signs, at: Numbers, instants: int
) -> tuple[Numbers, Numbers, Numbers]:
    """The rows that are there at any of the instants, where each enters and where it leaves. One that is
    told to come and go at one instant is there at this one: it came and went before it."""
    numbers = np.concatenate([before, changed[sign > 0]])
    enters = np.concatenate([np.zeros(len(before), np.int64), at[sign > 0]])
    leaves = np.full(len(numbers), instants)
    gone = np.searchsorted(numbers, changed[sign < 0])
    leaves[gone] = np.maximum(at[sign < 0], enters[gone] + (gone >= len(before)))
    return numbers, enters, leaves
