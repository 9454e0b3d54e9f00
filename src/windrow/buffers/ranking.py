"""Entries in the order of their keys, each with a slot: what changes among those of some ranks.

A change costs as much as the tree is high, however many entries there are. Where most entries change at
each instant, and few ranks are watched, no tree is kept: then all entries are looked at, once an instant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.growing import grown
from windrow.delta import NEVER, Instants, Signs, room
from windrow.kernels import ranking, scanned_ranks

Slots = npt.NDArray[np.int64]
Keys: TypeAlias = "pa.Array[Any] | npt.NDArray[np.uint64]"
"""Bytes, or as many words of each."""
Number = TypeVar("Number", bound=np.generic)

_FEWEST_WORDS = 1 << 10
_NOWHERE = -1
_MOST_WATCHED = 64
_WORTH = 8
"""So many entries are looked at in the time in which one is found in a tree."""


@dataclass(frozen=True, slots=True)
class Crossings:
    """Which slots come into the ranks that are watched, or go out of them, in time order."""

    slots: Slots
    signs: Signs
    instants: Instants


class Ranking:
    """A multiset of keys, which are bytes. The ranks from `first` to before `end` are watched."""

    def __init__(self, first: int, end: int | None) -> None:
        self._first, self._end = first, NEVER if end is None else end
        self._open()

    def _open(self) -> None:
        self._tree = np.zeros((1, ranking.COLUMNS), np.int64)
        self._words = np.empty(_FEWEST_WORDS, np.uint64)
        self._used = 0
        self._start = np.empty(0, np.int64)
        """Where in `_words` the key of a slot is."""
        self._inside = np.empty(0, np.bool_)
        self._count = 0
        self._has_tree, self._live = True, np.empty(0, np.int64)
        """Where there is no tree, the slots of all entries, in no order."""

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return self._tree.nbytes + self._words.nbytes + self._start.nbytes + self._inside.nbytes

    def change(self, ts: Instants, sign: Signs, slots: Slots, keys: Keys, capacity: int) -> Crossings:
        """Let entries come, into slots below a capacity, and others go, which are filled into `slots`."""
        after = self._count + int(sign.sum(dtype=np.int64))
        entries = max(self._count, after)
        is_scanned = self._is_scanned(ts, entries)
        (self._fell if is_scanned else self._plant)(capacity)
        self._start = grown(self._start, capacity, _NOWHERE)
        self._inside = grown(self._inside, capacity, 0)
        packed = self._packed(keys)
        entering = sign > 0
        self._start[slots[entering]] = packed[entering]
        told, instants = (room(2 * len(ts), np.int64) for _ in range(2))
        signs = np.empty(2 * len(ts), np.int8)
        changes, telling = (ts, sign, slots, packed, self._first, self._end), (told, signs, instants)
        known = self._words, self._start, self._inside
        if is_scanned:
            live = np.concatenate([self._live, np.empty(np.count_nonzero(entering), np.int64)])
            chains = 1 << (2 * entries).bit_length()
            count, left = scanned_ranks.play(*changes, *known, live, self._count, chains, *telling)
            self._live = live[:left]
        else:
            count = ranking.play(*changes, self._tree, *known, *telling)
        self._count = after
        gone = slots[~entering]
        if (gone < 0).any():
            raise ValueError("a negative tuple cancels one that came before it, and none did")
        self._start[gone] = _NOWHERE
        if not len(self):
            self._open()
        return Crossings(told[:count], signs[:count], instants[:count])

    def _is_scanned(self, ts: Instants, entries: int) -> bool:
        """Whether it is less work to look at all entries at each instant at which some change."""
        if not len(ts):
            return not self._has_tree
        instants = 1 + int(np.count_nonzero(np.diff(ts)))
        return self._end <= _MOST_WATCHED and _WORTH * len(ts) > instants * entries

    def _fell(self, _: int) -> None:
        """Have no tree."""
        if self._has_tree:
            self._live, self._has_tree = np.flatnonzero(self._start != _NOWHERE), False
            self._tree = np.zeros((1, ranking.COLUMNS), np.int64)

    def _plant(self, capacity: int) -> None:
        """Have a tree with room for so many entries."""
        self._tree = grown(self._tree, capacity + 1, 0)
        if not self._has_tree:
            ranking.plant(self._live, self._tree, self._words, self._start)
            self._live, self._has_tree = np.empty(0, np.int64), True

    def _packed(self, keys: Keys) -> npt.NDArray[np.int64]:
        """Where the keys are, after they have been written down."""
        if isinstance(keys, np.ndarray):
            return self._written(keys)
        places = np.empty(len(keys), np.int64)
        if not len(keys):
            return places
        _, offsets, text = keys.buffers()
        ends = _array(offsets, np.int32)[keys.offset : keys.offset + len(keys) + 1].astype(np.int64)
        needed = int(((np.diff(ends) + 7) // 8 + 1).sum())
        if self._used + needed > len(self._words):
            self._compact(needed)
        ranking.pack(_array(text, np.uint8), ends, self._words, self._used, places)
        self._used += needed
        return places

    def _written(self, keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        count, length = keys.shape[0], keys.shape[1] + 1
        if self._used + count * length > len(self._words):
            self._compact(count * length)
        places: npt.NDArray[np.int64] = self._used + length * np.arange(count)
        written = self._words[self._used : self._used + count * length].reshape(count, length)
        written[:, 0], written[:, 1:] = length - 1, keys
        self._used += count * length
        return places

    def _compact(self, needed: int) -> None:
        """Leave out the keys of entries that are gone, and have room for so many words more."""
        live = np.flatnonzero(self._start != _NOWHERE)
        count = int(self._words[self._start[live]].sum()) + len(live)
        kept = room(max(2 * (count + needed), _FEWEST_WORDS), np.uint64)
        self._used = ranking.compact(live, self._words, kept, self._start)
        self._words = kept


def _array(buffer: pa.Buffer | None, type_: type[Number]) -> npt.NDArray[Number]:
    """What is in a buffer of an Arrow array."""
    assert buffer is not None
    numbers: npt.NDArray[Number] = np.frombuffer(memoryview(buffer), type_)
    return numbers
