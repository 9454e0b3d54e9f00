"""Values of a column by the numbers of their rows, where the column lies in pieces of rows without gaps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.int32]

_READ = "Array(int64, 1, 'C', True)"
_WORDS = "Array(int32, 1, 'C', True)"


@kernel(f"void({_WORDS}, {_READ}, int64, int32[::1])")
def gather_32(values: Words, numbers: Ints, first: int, out: Words) -> None:
    """The values of rows that are all in one piece, whose first row has the number `first`."""
    for place in range(numbers.shape[0]):
        out[place] = values[np.uint64(numbers[place] - first)]


@kernel(f"void({_READ}, {_READ}, int64, int64[::1])")
def gather_64(values: Ints, numbers: Ints, first: int, out: Ints) -> None:
    """Likewise."""
    for place in range(numbers.shape[0]):
        out[place] = values[np.uint64(numbers[place] - first)]


@kernel(f"void({_WORDS}, {_READ}, int64, int32[::1])")
def add_32(values: Words, numbers: Ints, first: int, out: Words) -> None:
    """Likewise, but rows of other pieces keep what `out` has for them."""
    length = values.shape[0]
    for place in range(numbers.shape[0]):
        row = numbers[place] - first
        inside = 0 <= row < length
        value = values[np.uint64(row if inside else 0)]
        out[place] = value if inside else out[place]


@kernel(f"void({_READ}, {_READ}, int64, int64[::1])")
def add_64(values: Ints, numbers: Ints, first: int, out: Ints) -> None:
    """Likewise."""
    length = values.shape[0]
    for place in range(numbers.shape[0]):
        row = numbers[place] - first
        inside = 0 <= row < length
        value = values[np.uint64(row if inside else 0)]
        out[place] = value if inside else out[place]
