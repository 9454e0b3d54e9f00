"""The instants at which a window that slides lets tuples in and out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Instants = npt.NDArray[np.int64]
_NEVER = 2**63 - 1


@kernel("void(Array(int64, 1, 'C', True), int64, int64, int64[::1])")
def next_slots(ts: Instants, length: int, slide: int, slots: Instants) -> None:
    """The first multiple of the slide that is not before so much after each instant; never, where that
    would be after the last instant. Neighbours mostly share theirs, and it is divided only where not."""
    low = high = -(2**63)
    for place in range(ts.shape[0]):
        if ts[place] > _NEVER - length:
            slots[place] = _NEVER
            continue
        at = ts[place] + length
        if not low < at <= high:
            missing = (slide - at % slide) % slide
            if at > _NEVER - missing:
                slots[place] = _NEVER
                continue
            high = at + missing
            low = high - slide if high >= slide - (2**63) else -(2**63)
        slots[place] = high
