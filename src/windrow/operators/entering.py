"""Istream and Dstream: what enters an answer, or what leaves it, at each instant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from windrow.buffers.parts import State
from windrow.delta import Delta
from windrow.operators.answer_changes import AnswerChanges
from windrow.operators.base import Operator
from windrow.plan.emitting import ToStream


class Entering(Operator):
    """Runs Istream and, with the sign turned, Dstream."""

    def __init__(self, node: ToStream) -> None:
        self._sign = -1 if node.kind == "Dstream" else 1
        self._changes = AnswerChanges(node)

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        changes = self._changes.signed(delta)
        chosen = changes if changes.sign is None else changes.take(changes.sign == self._sign)
        return replace(chosen, sign=None)

    def save(self) -> State:
        return self._changes.save()

    def restore(self, state: State) -> None:
        self._changes.restore(state)
