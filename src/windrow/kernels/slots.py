"""Slots that are free: the next ones behind a cursor that goes round."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@kernel("int64(boolean[::1], int64, int64[::1])")
def allot(taken: Flags, cursor: int, slots: Ints) -> int:
    """Fill `slots` with slots that were free, and take them. Enough are free. Returns the new cursor."""
    for place in range(slots.shape[0]):
        while taken[cursor]:
            cursor = cursor + 1 if cursor + 1 < taken.shape[0] else 0
        taken[cursor] = True
        slots[place] = cursor
    return cursor
