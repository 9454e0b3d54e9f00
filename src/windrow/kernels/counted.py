"""How often each value is in a result, from how often it is on either side (nile 4.4 and 4.5)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

LEFT, RIGHT, GIVEN = 0, 1, 2
"""Of a value: how many there are on either side and, told so far, in the result."""

LEFT_ONLY, BOTH, LEFT_ALONE = 0, 1, 2
"""One where the left side, the only one, has any; the lesser of both; the left less the right."""

_READ = "Array(int64, 1, 'C', True)"
_SMALL = "Array(int8, 1, 'C', True)"


@kernel("int64(int64, int64, int64, boolean)")
def wanted(left: int, right: int, rule: int, distinct: bool) -> int:
    """How often a value is in the result; `distinct`: at most once, however often it is on a side."""
    if distinct:
        left, right = min(left, 1), min(right, 1)
    if rule == BOTH:
        return min(left, right)
    return max(0, left - right) if rule == LEFT_ALONE else left


@kernel(
    f"int64({_READ}, {_SMALL}, {_SMALL}, {_READ}, int64, boolean, int64[:, ::1], int64[::1], int64[::1])"
)
def change(
    ts: Ints,
    side: Signs,
    sign: Signs,
    values: Ints,
    rule: int,
    distinct: bool,
    state: Ints,
    places: Ints,
    changes: Ints,
) -> int:
    """What events in time order change in the result: for each value of an instant the place of an event
    that tells both, and how much oftener, or less often, it is there. Returns the number of changes; -1
    where a value is taken away that is not there."""
    count, first = 0, 0
    while first < ts.shape[0]:
        last = first
        while last < ts.shape[0] and ts[last] == ts[first]:
            state[values[last], side[last]] += sign[last]
            last += 1
        for place in range(first, last):
            value = values[place]
            if state[value, LEFT] < 0 or state[value, RIGHT] < 0:
                return -1
            now = wanted(state[value, LEFT], state[value, RIGHT], rule, distinct)
            if now != state[value, GIVEN]:
                places[count], changes[count] = place, now - state[value, GIVEN]
                state[value, GIVEN] = now
                count += 1
        first = last
    return count
