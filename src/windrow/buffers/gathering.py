"""Columns by the numbers of their rows, by kernels: where values have 32 or 64 bits and none is NULL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.delta import room
from windrow.kernels import gathering as kernels

Numbers = npt.NDArray[np.int64]

_KERNELS: dict[int, tuple[Any, Any, Any]] = {
    32: (np.dtype(np.int32), kernels.gather_32, kernels.add_32),
    64: (np.dtype(np.int64), kernels.gather_64, kernels.add_64),
}
"""By the bits of a value."""


def are_plain(pieces: Sequence[pa.Array[Any]]) -> bool:
    """Whether kernels can gather a column that lies in these pieces."""
    type_ = pieces[0].type
    is_plain = pa.types.is_primitive(type_) and type_.bit_width in _KERNELS
    return is_plain and not any(piece.null_count for piece in pieces)


def gathered(firsts: Sequence[int], pieces: Sequence[pa.Array[Any]], numbers: Numbers) -> pa.Array[Any]:
    """The values of rows in this order. In each piece row numbers count on from its first."""
    type_ = pieces[0].type
    words, gather, add = _KERNELS[type_.bit_width]
    out: Any = room(len(numbers), words)
    for first, piece in zip(firsts, pieces, strict=True):
        data: Any = piece.buffers()[1]
        values = np.frombuffer(data, words, len(piece), piece.offset * words.itemsize)
        (gather if len(pieces) == 1 else add)(values, numbers, first, out)
    return pa.Array.from_buffers(type_, len(numbers), [None, pa.py_buffer(out)])
