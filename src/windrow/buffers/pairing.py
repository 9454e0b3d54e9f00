"""What lives on the two sides of a join, by key; arriving tuples find their partners in it.

Entries of tuples that have ended are dropped when somebody comes by, and all at once when `drop` is
called: the caller knows what ends, and counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from windrow.delta import BEGINNING, Instants, room
from windrow.kernels import pairing as kernels

Numbers = npt.NDArray[np.int64]

BLOCK = 1 << 17
"""At most so many pairs are handed out at once."""
_FIRST_ENTRIES = 1 << 10


@dataclass(frozen=True, slots=True)
class Ended:
    """Tuples of one side that end, in the order of their ends, with the codes of their keys."""

    ts: Instants
    keys: Numbers
    numbers: Numbers


NO_ENDS = Ended(*np.empty((3, 0), np.int64))


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Tuples of one side in time order, with the codes of their keys; row numbers count on from `first`."""

    ts: Instants
    exp: Instants
    keys: Numbers
    first: int
    ended: Ended = NO_ENDS
    """Those whose ends are to be told."""

    def __len__(self) -> int:
        return len(self.ts) + len(self.ended.ts)

    @property
    def columns(self) -> tuple[Instants, Instants, Numbers, int, Instants, Numbers, Numbers]:
        """As the kernel takes them."""
        return self.ts, self.exp, self.keys, self.first, self.ended.ts, self.ended.keys, self.ended.numbers


@dataclass(frozen=True, slots=True)
class Pairs:
    """Row numbers of either side that go together, and from when until when; of a pair that ends `exp`
    is `ts`."""

    left: Numbers
    right: Numbers
    exp: Instants
    ts: Instants


class Pairing:
    """The live tuples of both sides."""

    def __init__(self) -> None:
        self._heads = np.zeros((0, kernels.WIDTH), np.int64)
        self._entries = np.empty((_FIRST_ENTRIES, 2), np.int64)
        self._used = 0

    @property
    def nbytes(self) -> int:
        return self._heads.nbytes + self._entries.nbytes

    def pairs(self, left: Arrivals, right: Arrivals, keys: int) -> Iterator[Pairs]:
        """Each tuple with the partners that live when it comes, or until it ends, in time order, in blocks.
        But for `ts` a block is there until the next one is asked for.

        All key codes are below `keys`. The tuples have arrived when the iterator is exhausted.
        """
        self._make_heads(keys)
        at = self._at(BEGINNING)
        tuples = (*left.columns, *right.columns)
        found = np.empty((3, BLOCK), np.int64)
        while int(at[: kernels.SEEN].sum()) < len(left) + len(right):
            ts = room(BLOCK, np.int64)
            count = kernels.pair(*tuples, self._heads, self._entries, at, found, ts)
            if count:
                left_row, right_row, exp = found[:, :count]
                yield Pairs(left_row, right_row, exp, ts[:count])
            if at[kernels.FULL]:
                self._repack(at, int(at[kernels.NOW]))
        self._used = int(at[kernels.USED])

    def enter(self, side: int, exp: Instants, codes: Numbers, numbers: Numbers, keys: int) -> None:
        """Put tuples in that have come before, in that order: 0 for the left side, 1 for the right."""
        self._make_heads(keys)
        at = self._at(BEGINNING)
        tuples, done = (side * kernels.SIDE, exp, codes, numbers), 0
        while (done := kernels.enter(self._heads, self._entries, at, *tuples, done)) < len(codes):
            self._repack(at, BEGINNING)
        self._used = int(at[kernels.USED])

    def drop(self, clock: int) -> Numbers:
        """Drop all entries that ended up to a clock; the keys that have none left are forgotten."""
        known = self._has_room()
        at = self._at(clock)
        self._repack(at, clock, forget=True)
        self._used = int(at[kernels.USED])
        return np.flatnonzero(known & ~self._has_room())

    def _at(self, now: int) -> Numbers:
        """Where a kernel begins."""
        return np.array([0, 0, 0, 0, 0, self._used, now, 0, 0], np.int64)

    def _has_room(self) -> npt.NDArray[np.bool_]:
        """For each key, whether it has lists."""
        ends, starts = self._heads[:, kernels.LIMIT :: kernels.SIDE], self._heads[:, :: kernels.SIDE]
        has_room: npt.NDArray[np.bool_] = np.any(ends > starts, axis=1)
        return has_room

    def _make_heads(self, keys: int) -> None:
        if keys > len(self._heads):
            heads = np.zeros((max(keys, 2 * len(self._heads)), kernels.WIDTH), np.int64)
            heads[: len(self._heads)] = self._heads
            self._heads = heads

    def _repack(self, at: Numbers, clock: int, *, forget: bool = False) -> None:
        old = (self._heads, self._entries, clock, forget)
        heads = np.zeros_like(self._heads)
        needed = kernels.repack(*old, heads, np.empty((0, 2), np.int64))
        entries = np.empty((max(2 * needed, _FIRST_ENTRIES), 2), np.int64)
        at[kernels.USED] = kernels.repack(*old, heads, entries)
        self._heads, self._entries = heads, entries
