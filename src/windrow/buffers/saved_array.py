"""An array of numbers, mostly 0, of which is written only what has changed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.buffers.growing import grown
from windrow.buffers.parts import State
from windrow.buffers.segments import Segments

Ints = npt.NDArray[np.int64]


class SavedArray:
    """What was saved last of an array."""

    def __init__(self) -> None:
        self._known = np.empty(0, np.int64)
        self._segments = Segments(1)

    def save(self, array: Ints) -> State:
        """The array, but for the 0 at its end."""
        self._known, now = grown(self._known, len(array), 0), grown(array, len(self._known), 0)
        changed = np.flatnonzero(now != self._known)
        self._known[changed] = now[changed]
        self._segments.add(changed, now[changed, np.newaxis])
        return self._segments.save()

    def restore(self, state: State) -> Ints:
        """The array that was saved."""
        places, numbers = self._segments.restore(state)
        self._known = np.zeros(int(places.max(initial=-1)) + 1, np.int64)
        self._known[places] = numbers[:, 0]
        return self._known.copy()
