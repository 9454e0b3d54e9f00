"""Timers: keys, each to be looked at when an instant comes; the next one is found at once.

A binary heap of (instant, key). A key that is to be looked at sooner is put in once more, and `armed` has
its soonest instant; who takes out another one knows that it is void.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]

BEGINNING, NEVER = -(1 << 63), (1 << 63) - 1
"""The first instant and the last, as in deltas."""
INSTANT, KEY = 0, 1


@kernel("boolean(int64[::1], int64[:, ::1], int64, int64, int64)")
def arm(armed: Ints, heap: Ints, size: int, instant: int, key: int) -> bool:
    """See to it that a key is looked at when an instant comes, if that is ever; there is room for it.
    Whether the heap has grown by one."""
    if instant >= armed[key]:
        return False
    armed[key] = instant
    place = size
    while place > 0:
        above = (place - 1) >> 1
        if heap[above, INSTANT] <= instant:
            break
        heap[place, INSTANT], heap[place, KEY] = heap[above, INSTANT], heap[above, KEY]
        place = above
    heap[place, INSTANT], heap[place, KEY] = instant, key
    return True


@kernel("boolean(int64[::1], int64[:, ::1], int64)")
def disarm(armed: Ints, heap: Ints, size: int) -> bool:
    """Take out the first of so many timers. Whether it is not void."""
    instant, key = heap[0, INSTANT], heap[0, KEY]
    last = size - 1
    moved, moved_key = heap[last, INSTANT], heap[last, KEY]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= last:
            break
        if below + 1 < last and heap[below + 1, INSTANT] < heap[below, INSTANT]:
            below += 1
        if moved <= heap[below, INSTANT]:
            break
        heap[place, INSTANT], heap[place, KEY] = heap[below, INSTANT], heap[below, KEY]
        place = below
    heap[place, INSTANT], heap[place, KEY] = moved, moved_key
    if armed[key] != instant:
        return False
    armed[key] = NEVER
    return True
