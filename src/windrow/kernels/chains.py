"""Chains of slots by key, oldest first: `ends[key]` is the first and the last slot of a key's chain, and
`links[slot]` the one before a slot and the one behind it; NONE where there is none.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

NONE = -1
FIRST, LAST = 0, 1
BEFORE, BEHIND = 0, 1

_READ = "Array(int64, 1, 'C', True)"
_SIGNS = "Array(int8, 1, 'C', True)"


@kernel("void(int64[:, ::1], int64[:, ::1], int64, int64)")
def link(ends: Ints, links: Ints, key: int, slot: int) -> None:
    """Put a slot at the end of a chain."""
    last = ends[key, LAST]
    links[slot, BEFORE], links[slot, BEHIND] = last, NONE
    if last == NONE:
        ends[key, FIRST] = slot
    else:
        links[last, BEHIND] = slot
    ends[key, LAST] = slot


@kernel("void(int64[:, ::1], int64[:, ::1], int64, int64)")
def unlink(ends: Ints, links: Ints, key: int, slot: int) -> None:
    """Take a slot out of its chain."""
    before, behind = links[slot, BEFORE], links[slot, BEHIND]
    if before == NONE:
        ends[key, FIRST] = behind
    else:
        links[before, BEHIND] = behind
    if behind == NONE:
        ends[key, LAST] = before
    else:
        links[behind, BEFORE] = before


@kernel(f"void(int64[:, ::1], int64[:, ::1], {_READ}, {_READ})")
def link_all(ends: Ints, links: Ints, keys: Ints, slots: Ints) -> None:
    """Put slots at the ends of their chains, one after another; those without a key in none."""
    for place in range(keys.shape[0]):
        if keys[place] != NONE:
            link(ends, links, keys[place], slots[place])


@kernel(f"int64[::1]({_SIGNS}, {_READ}, {_READ}, int64[:, ::1], int64[:, ::1])")
def resolve(sign: Signs, values: Ints, entered: Ints, ends: Ints, links: Ints) -> Ints:
    """The slot that each signed tuple is about, by its value: a new one of `entered`, or the oldest that
    has the value and is there; NONE if there is none."""
    slots = np.empty(sign.shape[0], np.int64)
    used = 0
    for place in range(sign.shape[0]):
        if sign[place] > 0:
            slots[place] = entered[used]
            used += 1
            link(ends, links, values[place], slots[place])
        else:
            slots[place] = ends[values[place], FIRST]
            if slots[place] != NONE:
                unlink(ends, links, values[place], slots[place])
    return slots
