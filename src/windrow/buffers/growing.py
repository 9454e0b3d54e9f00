"""Arrays that are indexed by codes or slots, and grow with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

_FEW = 16
"""One in so many is sooner sorted than looked up among all."""

Element = TypeVar("Element", bound=np.generic)


def grown(array: npt.NDArray[Element], length: int, fill: int) -> npt.NDArray[Element]:
    """The array, or a longer one whose new rows hold `fill`."""
    if length <= len(array):
        return array
    longer = np.full((length, *array.shape[1:]), fill, array.dtype)
    longer[: len(array)] = array
    return longer


def each_once(numbers: Sequence[npt.NDArray[np.int64]], capacity: int) -> npt.NDArray[np.int64]:
    """The codes or slots in some arrays, rising, each once; all are below the capacity."""
    if _FEW * sum(map(len, numbers)) < capacity:
        lined_up = np.sort(np.concatenate([np.empty(0, np.int64), *numbers]))
        once: npt.NDArray[np.int64] = lined_up[np.diff(lined_up, prepend=-1) > 0]
        return once
    named = np.zeros(capacity, np.bool_)
    for each in numbers:
        named[each] = True
    return np.flatnonzero(named)
