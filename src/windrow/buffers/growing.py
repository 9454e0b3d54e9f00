"""Arrays that are indexed by codes or slots, and grow with them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Element = TypeVar("Element", bound=np.generic)


def grown(array: npt.NDArray[Element], length: int, fill: int) -> npt.NDArray[Element]:
    """The array, or a longer one whose new rows hold `fill`."""
    if length <= len(array):
        return array
    longer = np.full((length, *array.shape[1:]), fill, array.dtype)
    longer[: len(array)] = array
    return longer
