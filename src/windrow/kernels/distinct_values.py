"""Which of the tuples that come are the first, and which of those that go are the last, of their value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

_READ = "Array(int64, 1, 'C', True)"
_SIGNS = "Array(int8, 1, 'C', True)"


@kernel(f"void({_READ}, {_SIGNS}, {_READ}, int64[::1], int8[::1])")
def first_and_last(rows: Ints, signs: Signs, codes: Ints, counts: Ints, out: Signs) -> None:
    """The signs of the events that bring a value or take it away, 0 for all others.

    `counts` has how many tuples there are of each code, before and after.
    """
    for event in range(rows.shape[0]):
        out[event] = 0
        sign = signs[event]
        if sign == 0:
            continue
        code = codes[rows[event]]
        before = counts[code]
        counts[code] = before + sign
        if before == 0 or counts[code] == 0:
            out[event] = sign
