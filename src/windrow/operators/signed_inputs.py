"""Two inputs of an operator that has to know of every end when it comes, their rows by key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.growing import each_once, grown
from windrow.buffers.parts import State, under, within
from windrow.delta import Delta, Instants, Signs
from windrow.kernels.chains import NONE
from windrow.kernels.events import LEFT, RIGHT, merge
from windrow.operators.match_keys import Codes, MatchKeys
from windrow.operators.signed_side import SideEvents, SignedSide, Slots

_SIDES = ("left", "right")


@dataclass(frozen=True, slots=True)
class Events:
    """What begins and ends on both sides, in time order."""

    ts: Instants
    side: Signs
    sign: Signs
    slot: Slots
    key: Codes

    def __len__(self) -> int:
        return len(self.ts)

    def ended(self, side: int) -> Slots:
        """The slots of a side that are free afterwards."""
        ended: Slots = self.slot[(self.side == side) & (self.sign < 0)]
        return ended


class SignedInputs(ABC):
    """The live rows of both inputs, and the codes of their keys. What else is known of rows and keys, who
    derives from this keeps in arrays by slot and by code."""

    def __init__(self, keys: MatchKeys, left: SignedSide, right: SignedSide) -> None:
        self._sides = (left, right)
        self._keys = keys
        self._key_of = [np.empty(0, np.int64) for _ in _SIDES]
        """The codes of the keys of the rows of each side, by slot."""

    @property
    def left(self) -> SignedSide:
        return self._sides[LEFT]

    @property
    def right(self) -> SignedSide:
        return self._sides[RIGHT]

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the state takes."""
        return sum(side.rows.nbytes for side in self._sides) + sum(keys.nbytes for keys in self._key_of)

    def events(self, inputs: Sequence[Delta]) -> Events:
        """What the inputs and the clock bring; `forget` has to be called afterwards."""
        left, right = (self._told(side, delta) for side, delta in enumerate(inputs))
        side, place = merge(left.ts, left.rank, right.ts, right.rank)
        place[side == RIGHT] += len(left.ts)
        ts, sign = np.concatenate([left.ts, right.ts]), np.concatenate([left.sign, right.sign])
        slot = np.concatenate([left.slot, right.slot])
        key = np.concatenate([self._key_of[LEFT][left.slot], self._key_of[RIGHT][right.slot]])
        return Events(ts[place], side, sign[place], slot[place], key[place])

    def forget(self, events: Events) -> None:
        """Let go of the rows that have ended, and of keys that nobody has any more."""
        for number, side in enumerate(self._sides):
            side.release(events.ended(number))
        if not any(len(side.rows) for side in self._sides):
            self._keys.clear()
            self._key_of = [np.empty(0, np.int64) for _ in _SIDES]
            self._empty()
            return
        ended = events.key[(events.sign < 0) & (events.key != NONE)]
        keys = each_once([ended], self._keys.capacity)
        self._keys.release(keys[self._are_unused(keys)])

    def save(self) -> State:
        return {**under("left", self.left.save()), **under("right", self.right.save())}

    def restore(self, state: State) -> None:
        sides = zip(_SIDES, self._sides, self._keys.columns, strict=True)
        for number, (name, side, columns) in enumerate(sides):
            if saved := within(name, state):
                side.restore(saved)
                slots = side.rows.live()
                self._enter(number, slots, side.rows.take(slots, columns or None))
                self._begin_again(number, slots, self._key_of[number][slots])

    @abstractmethod
    def _fit(self) -> None:
        """Make arrays as long as there are slots and codes."""

    @abstractmethod
    def _empty(self) -> None:
        """Free all arrays: no row is left."""

    @abstractmethod
    def _are_unused(self, keys: Codes) -> npt.NDArray[np.bool_]:
        """Whether no row has one of these keys."""

    @abstractmethod
    def _begin_again(self, side: int, slots: Slots, keys: Codes) -> None:
        """Rows of a side that was restored, in the order in which they came."""

    def _told(self, number: int, delta: Delta) -> SideEvents:
        told = self._sides[number].events(delta)
        begun = delta.rows if delta.sign is None else delta.rows.filter(pa.array(delta.sign > 0))
        self._enter(number, told.slot[told.sign > 0], begun)
        return told

    def _enter(self, number: int, slots: Slots, rows: pa.Table) -> None:
        """Note the keys of rows that begin."""
        codes = (self._keys.of_right if number == RIGHT else self._keys.of_left)(rows)
        self._key_of[number] = grown(self._key_of[number], self._sides[number].rows.capacity, NONE)
        self._key_of[number][slots] = codes
        self._fit()
