"""Rows that are given as long as they have no partner, or as long as they have one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.events import LEFT, RIGHT
from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

NEVER, ALONE, TOGETHER = 0, 1, 2
"""When a row of a side is given."""

_READ = "Array(int64, 1, 'C', True)"
_SMALL = "Array(int8, 1, 'C', True)"


@kernel("boolean(int64, int64)")
def is_given(when: int, partners: int) -> bool:
    return (when == ALONE and partners == 0) or (when == TOGETHER and partners > 0)


@kernel(
    f"int64({_SMALL}, {_SMALL}, {_READ}, int64, int64, {_READ}, {_READ}, {_READ},"
    " int64[::1], int64[::1], int64, int64, int64[:, ::1])"
)
def change(
    side: Signs,
    sign: Signs,
    slot: Ints,
    begin: int,
    end: int,
    pair_event: Ints,
    pair_left: Ints,
    pair_right: Ints,
    left_partners: Ints,
    right_partners: Ints,
    left_when: int,
    right_when: int,
    out: Ints,
) -> int:
    """What the events from `begin` to `end`, and the pairs that they make and break, change.

    Some first pairs of `begin` may have come before, and some of `end` may be here already. Gives (event,
    side, slot, sign) of rows that are given, or not any more, and returns their number.
    """
    count, place = 0, 0
    for event in range(begin, end + 1):
        if event == side.shape[0]:
            break
        own, other = side[event], RIGHT if side[event] == LEFT else LEFT
        mine, theirs = (left_partners, right_partners) if own == LEFT else (right_partners, left_partners)
        when_mine, when_theirs = (left_when, right_when) if own == LEFT else (right_when, left_when)
        while place < pair_event.shape[0] and pair_event[place] == event:
            partner = pair_left[place] if other == LEFT else pair_right[place]
            before = is_given(when_theirs, theirs[partner])
            theirs[partner] += sign[event]
            now = is_given(when_theirs, theirs[partner])
            if before != now:
                out[0, count], out[1, count], out[2, count] = event, other, partner
                out[3, count] = 1 if now else -1
                count += 1
            if sign[event] > 0:
                mine[slot[event]] += 1
            place += 1
        if event < end:
            if is_given(when_mine, mine[slot[event]]):
                out[0, count], out[1, count], out[2, count] = event, own, slot[event]
                out[3, count] = sign[event]
                count += 1
            if sign[event] < 0:
                mine[slot[event]] = 0
    return count
