"""Rows of a multiset over some instants: at which of them each is there."""

from __future__ import annotations

import numpy as np

from windrow.buffers.rows import Numbers
from windrow.delta import Signs


def stays(
    before: Numbers, changed: Numbers, sign: Signs, at: Numbers, instants: int
) -> tuple[Numbers, Numbers, Numbers]:
    """The rows that are there at any of the instants, where each enters and where it leaves. One that is
    told to come and go at one instant is there at this one: it came and went before it."""
    numbers = np.concatenate([before, changed[sign > 0]])
    enters = np.concatenate([np.zeros(len(before), np.int64), at[sign > 0]])
    leaves = np.full(len(numbers), instants)
    gone = np.searchsorted(numbers, changed[sign < 0])
    leaves[gone] = np.maximum(at[sign < 0], enters[gone] + (gone >= len(before)))
    return numbers, enters, leaves
