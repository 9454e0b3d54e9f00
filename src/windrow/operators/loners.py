"""How many partners each live row has, and what that says of rows that are given only with one, or only
without."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from windrow.buffers.growing import grown
from windrow.buffers.parts import State, under, within
from windrow.buffers.saved_array import SavedArray
from windrow.delta import Signs
from windrow.kernels import loners as kernels
from windrow.operators.signed_inputs import Events
from windrow.operators.signed_pairs import SignedPairs
from windrow.operators.signed_side import Slots

_SIDES = ("left", "right")


@dataclass(frozen=True, slots=True)
class Turns:
    """Rows that begin or cease to be given, in the order of the events that make them."""

    event: npt.NDArray[np.int64]
    side: npt.NDArray[np.int64]
    slot: Slots
    sign: Signs


_NOTHING = np.empty(0, np.int64)
_NO_TURNS = Turns(_NOTHING, _NOTHING, _NOTHING, np.empty(0, np.int8))


class Loners:
    """The partners of the rows of either side, counted."""

    def __init__(self, left: int, right: int = kernels.NEVER) -> None:
        """When rows of a side are given: NEVER, ALONE or TOGETHER (`kernels/loners.py`)."""
        self._when = (left, right)
        self._partners = [np.zeros(0, np.int64) for _ in _SIDES]
        self._saved = [SavedArray() for _ in _SIDES]

    @property
    def nbytes(self) -> int:
        return sum(each.nbytes for each in self._partners)

    def fit(self, left: int, right: int) -> None:
        """Have room for so many slots of either side, and no more."""
        if self._when == (kernels.NEVER, kernels.NEVER):
            return
        for side, capacity in enumerate((left, right)):
            counts = grown(self._partners[side], capacity, 0)
            self._partners[side] = counts if len(counts) == capacity else counts[:capacity].copy()

    def turns(self, events: Events, begin: int, pairs: SignedPairs) -> Turns:
        """What the events from `begin` on change that the pairs are of."""
        if self._when == (kernels.NEVER, kernels.NEVER):
            return _NO_TURNS
        out = np.empty((4, len(pairs.event) + pairs.done - begin), np.int64)
        count = kernels.change(
            events.side,
            events.sign,
            events.slot,
            begin,
            pairs.done,
            pairs.event,
            pairs.left,
            pairs.right,
            self._partners[0],
            self._partners[1],
            self._when[0],
            self._when[1],
            out,
        )
        event, side, slot, sign = out[:, :count]
        return Turns(event, side, slot, sign.astype(np.int8))

    def save(self) -> State:
        saved = zip(_SIDES, self._saved, self._partners, strict=True)
        return {
            name: part
            for side, known, counts in saved
            for name, part in under(side, known.save(counts)).items()
        }

    def restore(self, state: State) -> None:
        for side, name in enumerate(_SIDES):
            self._partners[side] = self._saved[side].restore(within(name, state))
