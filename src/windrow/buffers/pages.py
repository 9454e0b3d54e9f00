"""An array of numbers saved in pages, of which only those are written that have changed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.parts import State

PAGE = 1 << 13
"""Numbers in a page."""
_VALUE = "value"


class Pages:
    """What was saved last of an array."""

    def __init__(self) -> None:
        self._saved: dict[str, pa.Table] = {}

    def save(self, array: npt.NDArray[np.int64]) -> State:
        """The array in parts; a page that has not changed is the part that it was."""
        pages = [array[start : start + PAGE] for start in range(0, len(array), PAGE)]
        self._saved = {f"page{place}": self._part(f"page{place}", page) for place, page in enumerate(pages)}
        return self._saved

    def _part(self, name: str, page: npt.NDArray[np.int64]) -> pa.Table:
        saved = self._saved.get(name)
        if saved is not None and np.array_equal(saved[_VALUE].to_numpy(), page):
            return saved
        return pa.table({_VALUE: page.copy()})

    def restore(self, state: State) -> npt.NDArray[np.int64]:
        """The array that was saved."""
        self._saved = dict(state)
        pages = [state[f"page{place}"][_VALUE].to_numpy() for place in range(len(state))]
        return np.concatenate(pages) if pages else np.empty(0, np.int64)
