"""Tuples that wait for an instant, and then take it as their timestamp."""

from __future__ import annotations

from dataclasses import replace

from windrow.buffers.expiring import ExpiringRows
from windrow.buffers.fifo import Fifo
from windrow.buffers.parts import State
from windrow.delta import Delta, Instants


class Waiting:
    """A queue: who comes later does not wait for an earlier instant."""

    def __init__(self, like: Delta) -> None:
        """`like` is a delta without tuples, with the control columns that those have that will wait."""
        self._tuples = ExpiringRows(like.to_table().schema, Fifo())

    def hold(self, delta: Delta, until: Instants) -> None:
        """Keep tuples until these instants."""
        self._tuples.insert(delta.to_table(), until)

    def release(self, clock: int) -> Delta:
        """Those whose instant the clock has reached."""
        rows, instants = self._tuples.expire_until(clock)
        return replace(Delta.from_table(clock, rows), ts=instants)

    def save(self) -> State:
        return self._tuples.save()

    def restore(self, state: State) -> None:
        self._tuples.restore(state)
