"""Lists of slots, one for each key, as kernels keep them: slots count from 1, and 0 is the end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lists:
    """Entries lined up by key, and each key's entries as they came."""

    order: Ints
    """The entry in each slot."""
    chain: Ints
    """The next slot of the same list."""
    keys: Ints
    """Those that have entries, rising; for each of them, in arrays of the same length:"""
    first: Ints
    """its first slot,"""
    counts: Ints
    """and how many entries it has."""

    @classmethod
    def of(cls, codes: Ints) -> Lists:
        """The lists of entries with these keys."""
        order = np.argsort(codes, kind="stable")
        lined_up = codes[order]
        same = np.append(lined_up[1:] == lined_up[:-1], False) if len(codes) else np.empty(0, np.bool_)
        chain = np.where(same, np.arange(2, len(codes) + 2), 0)
        keys, first, counts = np.unique(lined_up, return_index=True, return_counts=True)
        return cls(order, chain, keys, first + 1, counts)


def with_room(array: Ints, needed: int) -> Ints:
    """The array, or a copy at least twice as long that has so many places."""
    if needed <= len(array):
        return array
    return np.concatenate([array, np.zeros(max(needed, 2 * len(array)) - len(array), np.int64)])
