"""Tuples that look rows up as these were just before the tuple's instant, while the rows change.

The rows are in chains by key. Changes and tuples come in time order; a change counts for tuples that are
newer than it, so it is made when the first of them comes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.chains import BEHIND, FIRST, NONE, link, unlink
from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

TUPLE, CHANGE, PARTNER = 0, 1, 2
"""Where `probe` is: the next tuple, the next change, and the row that the tuple goes on with, or NONE."""

_READ = "Array(int64, 1, 'C', True)"
_SMALL = "Array(int8, 1, 'C', True)"


@kernel(
    f"int64({_READ}, {_READ}, {_READ}, {_SMALL}, {_READ}, {_READ},"
    " int64[:, ::1], int64[:, ::1], int64[::1], int64[:, ::1])"
)
def probe(
    ts: Ints,
    key: Ints,
    change_ts: Ints,
    change_sign: Signs,
    change_slot: Ints,
    change_key: Ints,
    ends: Ints,
    links: Ints,
    at: Ints,
    out: Ints,
) -> int:
    """The rows that each tuple finds: (tuple, slot). Returns how many; it stops early where `out` is full,
    and `at` says where to go on. When all tuples are done, so are all changes."""
    count = 0
    change = at[CHANGE]
    for place in range(at[TUPLE], ts.shape[0] + 1):
        while change < change_ts.shape[0] and (place == ts.shape[0] or change_ts[change] < ts[place]):
            code, slot = change_key[change], change_slot[change]
            if code != NONE and change_sign[change] > 0:
                link(ends, links, code, slot)
            elif code != NONE:
                unlink(ends, links, code, slot)
            change += 1
        if place == ts.shape[0] or key[place] == NONE:
            continue
        partner = at[PARTNER] if at[PARTNER] != NONE else ends[key[place], FIRST]
        while partner != NONE:
            if count == out.shape[1]:
                at[TUPLE], at[CHANGE], at[PARTNER] = place, change, partner
                return count
            out[0, count], out[1, count] = place, partner
            count += 1
            partner = links[partner, BEHIND]
        at[PARTNER] = NONE
    at[TUPLE], at[CHANGE] = ts.shape[0] + 1, change
    return count
