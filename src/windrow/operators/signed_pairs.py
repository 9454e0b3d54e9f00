"""Two sides with their rows in chains by key: what pairs each begin and each end makes and breaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.growing import grown
from windrow.buffers.parts import State, under, within
from windrow.delta import Delta, Instants, Signs
from windrow.kernels import events as kernels
from windrow.kernels.chains import NONE, link_all
from windrow.operators.match_keys import Codes, MatchKeys
from windrow.operators.residual import Matching, residual_of
from windrow.operators.signed_side import SideEvents, SignedSide, Slots, signed_side

BLOCK = 1 << 17
"""At most so many pairs are handed out at once."""
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


@dataclass(frozen=True, slots=True)
class SignedPairs:
    """Some pairs of live rows, in the order of the events that make or break them."""

    event: npt.NDArray[np.int64]
    left: Slots
    right: Slots
    done: int
    """So many events have no pairs to come."""


class SignedSides:
    """The live rows of both inputs, by key."""

    def __init__(self, node: Matching) -> None:
        self._node = node
        self.sides: tuple[SignedSide, SignedSide] = (signed_side(node.left), signed_side(node.right))
        self._residual = residual_of(node)
        self._open()

    def _open(self) -> None:
        self._keys = MatchKeys(self._node.keys, self._node.left.schema)
        self._ends, self._links = ([np.empty((0, 2), np.int64) for _ in _SIDES] for _ in range(2))
        self._key = [np.empty(0, np.int64) for _ in _SIDES]
        """The codes of the keys of the rows of each side, by slot."""

    def events(self, inputs: Sequence[Delta]) -> Events:
        """What the inputs and the clock bring. Then `pairs` has to be exhausted, and `forget` called."""
        left, right = (self._told(side, delta) for side, delta in enumerate(inputs))
        side, place = kernels.merge(left.ts, left.rank, right.ts, right.rank)
        place[side == kernels.RIGHT] += len(left.ts)
        ts, sign = np.concatenate([left.ts, right.ts]), np.concatenate([left.sign, right.sign])
        slot = np.concatenate([left.slot, right.slot])
        key = np.concatenate([self._key[0][left.slot], self._key[1][right.slot]])
        return Events(ts[place], side, sign[place], slot[place], key[place])

    def pairs(self, events: Events) -> Iterator[SignedPairs]:
        """The pairs that the events make and break and that meet the condition, in blocks."""
        at = np.array([0, NONE])
        told = (events.side, events.sign, events.slot, events.key)
        chains = (self._ends[0], self._links[0], self._ends[1], self._links[1])
        while at[kernels.EVENT] < len(events):
            out = np.empty((3, BLOCK), np.int64)
            count = kernels.pairs(*told, *chains, at, out)
            yield self._matching(
                SignedPairs(out[0, :count], out[1, :count], out[2, :count], int(at[kernels.EVENT]))
            )

    def _matching(self, pairs: SignedPairs) -> SignedPairs:
        if self._residual is None:
            return pairs
        left, right = (side.rows for side in self.sides)
        kept = self._residual.kept(
            left.take(pairs.left, self._residual.left), right.take(pairs.right, self._residual.right)
        )
        return SignedPairs(pairs.event[kept], pairs.left[kept], pairs.right[kept], pairs.done)

    @property
    def nbytes(self) -> int:
        chained = (each for arrays in (self._ends, self._links, self._key) for each in arrays)
        return sum(each.nbytes for each in chained) + sum(side.rows.nbytes for side in self.sides)

    def take_failures(self) -> pa.Table | None:
        return None if self._residual is None else self._residual.take_failures()

    def forget(self, events: Events) -> None:
        """Let go of the rows that have ended, and of keys that nobody has any more."""
        for side, kept in enumerate(self.sides):
            kept.release(events.ended(side))
        if not any(len(kept.rows) for kept in self.sides):
            self._open()
            return
        gone = np.unique(events.key[(events.sign < 0) & (events.key != NONE)])
        empty = (self._ends[0][gone, 0] == NONE) & (self._ends[1][gone, 0] == NONE)
        self._keys.release(gone[empty])

    def save(self) -> State:
        return {
            **under("left", self.sides[kernels.LEFT].save()),
            **under("right", self.sides[kernels.RIGHT].save()),
        }

    def restore(self, state: State) -> None:
        for side, name in enumerate(_SIDES):
            saved = within(name, state)
            if saved:
                kept = self.sides[side]
                kept.restore(saved)
                slots = kept.rows.live()
                self._enter(side, slots, kept.rows.take(slots))
                link_all(self._ends[side], self._links[side], self._key[side][slots], slots)

    def _told(self, side: int, delta: Delta) -> SideEvents:
        told = self.sides[side].events(delta)
        begun = delta.rows if delta.sign is None else delta.rows.filter(pa.array(delta.sign > 0))
        self._enter(side, told.slot[told.sign > 0], begun)
        return told

    def _enter(self, side: int, slots: Slots, rows: pa.Table) -> None:
        """Note the keys of rows that begin, and make room for them."""
        codes = (self._keys.of_right if side else self._keys.of_left)(rows)
        capacity = self.sides[side].rows.capacity
        self._key[side] = grown(self._key[side], capacity, NONE)
        self._links[side] = grown(self._links[side], capacity, NONE)
        self._ends = [grown(ends, self._keys.capacity, NONE) for ends in self._ends]
        self._key[side][slots] = codes
