"""A sorted list for each group is the reference."""

from __future__ import annotations

import bisect
from random import Random

import numpy as np
import pytest

from windrow.kernels import sorted_blocks as kernels


@pytest.mark.parametrize("different", [3, 40, 10**9])
def test_values_are_in_order_as_they_come_and_go(different: int) -> None:
    chance, groups, room = Random(different), [list[int]() for _ in range(3)], 600
    heads = np.tile([kernels.NONE, 0], (len(groups), 1))
    blocks = np.column_stack([np.arange(1, room + 1), np.zeros(room, np.int64)])
    blocks[-1, kernels.BEHIND] = kernels.NONE
    state = heads, blocks, np.zeros((room, 4), np.int64), np.array([0])
    for step in range(1500):
        group = chance.choice([0, 0, 0, 1, 2])
        known = groups[group]
        if known and chance.random() < (0.3 if step < 900 else 0.8):
            kernels.take_out(group, known.pop(chance.randrange(len(known))), *state)
        else:
            value = chance.randint(-different, different)
            bisect.insort(known, value)
            kernels.put_in(group, value, *state)
        assert heads[group, kernels.SIZE] == len(known)
        for place in range(0, len(known), 7):
            assert kernels.at(group, place, *state[:3]) == known[place]
