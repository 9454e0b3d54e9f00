"""Netting: of equal tuples that come and go at one instant, only the balance stays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]


@kernel(
    "boolean[::1](Array(int64, 1, 'C', True), Array(int64, 1, 'C', True), Array(int8, 1, 'C', True), int64)"
)
def balance(ts: Ints, codes: Ints, sign: Signs, capacity: int) -> Mask:
    """Which tuples stay. They are in time order, and equal ones have equal codes below the capacity."""
    kept = np.zeros(ts.shape[0], np.bool_)
    due = np.zeros(capacity, np.int64)
    start = 0
    while start < ts.shape[0]:
        end = start
        while end < ts.shape[0] and ts[end] == ts[start]:
            due[codes[end]] += sign[end]
            end += 1
        for place in range(start, end):
            if due[codes[place]] * sign[place] > 0:
                kept[place] = True
                due[codes[place]] -= sign[place]
        for place in range(start, end):
            due[codes[place]] = 0
        start = end
    return kept


@kernel(
    "boolean[::1](Array(int64, 1, 'C', True), Array(int64, 1, 'C', True), Array(int8, 1, 'C', True), int64)"
)
def outlast(ts: Ints, codes: Ints, sign: Signs, capacity: int) -> Mask:
    """Which tuples enter and outlast their instant: a later negative tuple of it cancels them."""
    kept = np.zeros(ts.shape[0], np.bool_)
    due = np.zeros(capacity, np.int64)
    end = ts.shape[0]
    while end > 0:
        start = end
        while start > 0 and ts[start - 1] == ts[end - 1]:
            start -= 1
            if sign[start] < 0:
                due[codes[start]] += 1
            elif due[codes[start]] > 0:
                due[codes[start]] -= 1
            else:
                kept[start] = True
        for place in range(start, end):
            due[codes[place]] = 0
        end = start
    return kept
