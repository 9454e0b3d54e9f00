"""INTERSECT ALL of tuples that say when they end: couples of equal tuples, one of either side (nile 4.4.2).

A couple is a result, and lasts until one of the two ends. The other then looks for another mate; with one,
it is a result again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from windrow.aggregates.states import GroupStates
from windrow.buffers.growing import grown
from windrow.buffers.parts import State, under, within
from windrow.delta import NEVER, Delta, Instants
from windrow.kernels import coupling
from windrow.kernels.chains import NONE, link_all
from windrow.operators.base import Operator
from windrow.operators.match_keys import Codes, MatchKeys
from windrow.operators.signed_inputs import Events, SignedInputs
from windrow.operators.signed_side import EXP, Foreseen, SideEvents, Slots
from windrow.plan.multisets import Intersect
from windrow.plan.patterns import Pattern


class IntersectAllOperator(Operator):
    """Runs an Intersect with ALL whose inputs are not strict, and do expire."""

    def __init__(self, node: Intersect) -> None:
        if node.pattern is not Pattern.WK or node.distinct:
            raise ValueError("couples are of equal tuples that say when they end")
        self._names = node.schema.names
        self._inputs = _Couples(node)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the state takes."""
        return self._inputs.nbytes

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        events = self._inputs.events(inputs)
        ts, exp, slots = self._inputs.begun(events)
        rows = self._inputs.left.rows.take(slots, self._names)
        self._inputs.forget(events)
        return Delta(inputs[0].clock, rows, ts, exp)

    def save(self) -> State:
        return self._inputs.save()

    def restore(self, state: State) -> None:
        self._inputs.restore(state)


class _Mates:
    """Of one side: who is whose mate, and who is single."""

    def __init__(self) -> None:
        self.states = GroupStates(2)
        self.exp = np.empty(0, np.int64)
        self.changed = np.empty(0, np.bool_)
        self.ends = np.empty((0, 2), np.int64)
        self.links = np.empty((0, 2), np.int64)
        """Chains of those that are single, by value."""

    @property
    def nbytes(self) -> int:
        arrays = (self.states.numbers, self.exp, self.changed, self.ends, self.links)
        return sum(each.nbytes for each in arrays)

    @property
    def arrays(self) -> tuple[Instants, Slots, npt.NDArray[np.bool_], Codes, Slots]:
        """As the kernel takes them."""
        return self.exp, self.states.numbers, self.changed, self.ends, self.links

    def fit(self, slots: int, values: int) -> None:
        self.states.grow(slots)
        self.exp = grown(self.exp, slots, NEVER)
        self.changed = grown(self.changed, slots, 0)
        self.links = grown(self.links, slots, NONE)
        self.ends = grown(self.ends, values, NONE)

    def save(self) -> State:
        changed = np.flatnonzero(self.changed)
        self.changed[:] = False
        return self.states.save(changed)

    def link_again(self, slots: Slots, values: Codes) -> None:
        """Line up those that are single as they were."""
        since = self.states.numbers[slots, coupling.SINCE]
        single = np.flatnonzero(since)
        order = single[np.argsort(since[single])]
        link_all(self.ends, self.links, values[order], slots[order])


class _Couples(SignedInputs):
    """The live rows of both sides, and who is whose mate."""

    _mates: tuple[_Mates, _Mates]
    _counts: Codes
    """Of rows, by value."""

    def __init__(self, node: Intersect) -> None:
        pairs = tuple(zip(node.left.schema.names, node.right.schema.names, strict=True))
        keys = MatchKeys(pairs, node.left.schema, nulls_match=True)
        super().__init__(
            keys, *(Foreseen(each.schema, each.pattern, scanned=node.scanned) for each in node.inputs)
        )
        self._book = np.zeros(1, np.int64)
        self._empty()

    @property
    def nbytes(self) -> int:
        return super().nbytes + self._counts.nbytes + sum(each.nbytes for each in self._mates)

    def begun(self, events: Events) -> tuple[Instants, Instants, Slots]:
        """The couples that begin: when, until when, and the slots of their left rows."""
        told = events.ts, events.side, events.sign, events.slot, events.key
        left, right = (mates.arrays for mates in self._mates)
        ts, exp, slots = np.empty((3, len(events)), np.int64)
        count = coupling.couple(*told, *left, *right, self._counts, self._book, ts, exp, slots)
        return ts[:count], exp[:count], slots[:count]

    def save(self) -> State:
        left, right = self._mates
        return {**super().save(), **under("left mates", left.save()), **under("right mates", right.save())}

    def restore(self, state: State) -> None:
        for name, mates in zip(("left mates", "right mates"), self._mates, strict=True):
            mates.states.restore(within(name, state))
        super().restore(state)
        self._book[0] = max(mates.states.numbers[:, coupling.SINCE].max(initial=0) for mates in self._mates)

    def _told(self, number: int, delta: Delta) -> SideEvents:
        told = super()._told(number, delta)
        exp = NEVER if delta.exp is None else delta.exp
        self._mates[number].exp[told.slot[told.sign > 0]] = exp
        return told

    def _fit(self) -> None:
        for mates, side in zip(self._mates, self._sides, strict=True):
            mates.fit(side.rows.capacity, self._keys.capacity)
        self._counts = grown(self._counts, self._keys.capacity, 0)

    def _empty(self) -> None:
        self._mates = _Mates(), _Mates()
        self._counts = np.empty(0, np.int64)

    def _are_unused(self, keys: Codes) -> npt.NDArray[np.bool_]:
        unused: npt.NDArray[np.bool_] = self._counts[keys] == 0
        return unused

    def _begin_again(self, side: int, slots: Slots, keys: Codes) -> None:
        exp = self._sides[side].rows.take(slots, [EXP])[EXP].to_numpy()
        self._mates[side].exp[slots] = exp
        self._mates[side].link_again(slots, keys)
        np.add.at(self._counts, keys, 1)
