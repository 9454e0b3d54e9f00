"""Couples: tuples of two sides, each with an equal one of the other side, as long as both are there.

So of each value there are as many couples as the side has that has fewer. Who is single waits in a chain by
value. `state` has a row for each slot of a side, all 0 of who is not there.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.chains import LAST, NONE, link, unlink
from windrow.kernels.events import LEFT
from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

MATE, SINCE = 0, 1
"""Of a slot: that of its mate on the other side, from 1; how many had become single when it did, or 0 of
who is not."""

_READ = "Array(int64, 1, 'C', True)"
_SMALL = "Array(int8, 1, 'C', True)"
_SIDE = f"{_READ}, int64[:, ::1], boolean[::1], int64[:, ::1], int64[:, ::1]"


@kernel(
    f"int64({_READ}, {_SMALL}, {_SMALL}, {_READ}, {_READ}, {_SIDE}, {_SIDE}, int64[::1], int64[::1],"
    " int64[::1], int64[::1], int64[::1])"
)
def couple(
    ts: Ints,
    side: Signs,
    sign: Signs,
    slot: Ints,
    values: Ints,
    left_exp: Ints,
    left_state: Ints,
    left_changed: Flags,
    left_ends: Ints,
    left_links: Ints,
    right_exp: Ints,
    right_state: Ints,
    right_changed: Flags,
    right_ends: Ints,
    right_links: Ints,
    counts: Ints,
    book: Ints,
    out_ts: Ints,
    out_exp: Ints,
    out_slot: Ints,
) -> int:
    """The couples that begin as tuples come and go: (ts, exp, left slot). Returns their number; one for an
    event at most.

    `counts` is of tuples by value, `book` of those that have become single, and `changed` says whose state
    is another than before.
    """
    count = 0
    for event in range(ts.shape[0]):
        value, now, seeker = values[event], ts[event], slot[event]
        seeks_right = side[event] == LEFT
        counts[value] += sign[event]
        if sign[event] < 0:
            if seeks_right:
                exp, own, changed, ends, links = right_exp, left_state, left_changed, left_ends, left_links
                other, other_changed = right_state, right_changed
            else:
                exp, own, changed, ends, links = (
                    left_exp,
                    right_state,
                    right_changed,
                    right_ends,
                    right_links,
                )
                other, other_changed = left_state, left_changed
            if own[seeker, SINCE] != 0:
                unlink(ends, links, value, seeker)
            mate = own[seeker, MATE] - 1
            own[seeker, MATE], own[seeker, SINCE], changed[seeker] = 0, 0, True
            if mate == NONE:
                continue
            other[mate, MATE], other_changed[mate] = 0, True
            if exp[mate] <= now:
                continue
            seeker, seeks_right = mate, not seeks_right
        found = right_ends[value, LAST] if seeks_right else left_ends[value, LAST]
        if found == NONE:
            book[0] += 1
            if seeks_right:
                link(left_ends, left_links, value, seeker)
                left_state[seeker, SINCE], left_changed[seeker] = book[0], True
            else:
                link(right_ends, right_links, value, seeker)
                right_state[seeker, SINCE], right_changed[seeker] = book[0], True
            continue
        left, right = (seeker, found) if seeks_right else (found, seeker)
        if seeks_right:
            unlink(right_ends, right_links, value, right)
        else:
            unlink(left_ends, left_links, value, left)
        left_state[left, MATE], left_state[left, SINCE], left_changed[left] = right + 1, 0, True
        right_state[right, MATE], right_state[right, SINCE], right_changed[right] = left + 1, 0, True
        until = min(left_exp[left], right_exp[right])
        if until > now:
            out_ts[count], out_exp[count], out_slot[count] = now, until, left
            count += 1
    return count
