"""What begins and ends on two sides, in one order; and the pairs that this makes and breaks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.chains import BEHIND, FIRST, NONE, link, unlink
from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

LEFT, RIGHT = 0, 1
EVENT, PARTNER = 0, 1
"""Where `pairs` is: the next event, and the partner that it goes on with, or NONE."""

_READ = "Array(int64, 1, 'C', True)"
_SMALL = "Array(int8, 1, 'C', True)"


@kernel(f"Tuple((int8[::1], int64[::1]))({_READ}, {_SMALL}, {_READ}, {_SMALL})")
def merge(left_ts: Ints, left_rank: Signs, right_ts: Ints, right_rank: Signs) -> tuple[Signs, Ints]:
    """Two sides in one order, by instant and then by rank; ties left first. Of each the side and place."""
    total = left_ts.shape[0] + right_ts.shape[0]
    side, place = np.empty(total, np.int8), np.empty(total, np.int64)
    i, j = 0, 0
    for count in range(total):
        left_is_next = i < left_ts.shape[0] and (
            j >= right_ts.shape[0]
            or left_ts[i] < right_ts[j]
            or (left_ts[i] == right_ts[j] and left_rank[i] <= right_rank[j])
        )
        if left_is_next:
            side[count], place[count] = LEFT, i
            i += 1
        else:
            side[count], place[count] = RIGHT, j
            j += 1
    return side, place


_CHAINS = "int64[:, ::1], int64[:, ::1]"


@kernel(f"int64({_SMALL}, {_SMALL}, {_READ}, {_READ}, {_CHAINS}, {_CHAINS}, int64[::1], int64[:, ::1])")
def pairs(
    side: Signs,
    sign: Signs,
    slot: Ints,
    key: Ints,
    left_ends: Ints,
    left_links: Ints,
    right_ends: Ints,
    right_links: Ints,
    at: Ints,
    out: Ints,
) -> int:
    """The partners, then live, of each tuple that begins or ends: (event, left slot, right slot).

    What begins and ends is put into the chains and taken out of them. Returns the number of pairs; it stops
    early where `out` is full, and `at` says where to go on.
    """
    count = 0
    for event in range(at[EVENT], side.shape[0]):
        at[EVENT] = event
        code = key[event]
        if code == NONE:
            continue
        if side[event] == LEFT:
            own_ends, own_links, ends, links = left_ends, left_links, right_ends, right_links
        else:
            own_ends, own_links, ends, links = right_ends, right_links, left_ends, left_links
        partner = at[PARTNER] if at[PARTNER] != NONE else ends[code, FIRST]
        while partner != NONE:
            if count == out.shape[1]:
                at[PARTNER] = partner
                return count
            out[0, count] = event
            out[1, count] = slot[event] if side[event] == LEFT else partner
            out[2, count] = partner if side[event] == LEFT else slot[event]
            count += 1
            partner = links[partner, BEHIND]
        at[PARTNER] = NONE
        if sign[event] > 0:
            link(own_ends, own_links, code, slot[event])
        else:
            unlink(own_ends, own_links, code, slot[event])
    at[EVENT] = side.shape[0]
    return count
