"""Left rows that are given as long as the right side has their key, or as long as it has not.

The right side is a number for each key. Where NULLs are heeded (NOT IN), a right row whose key is NULL
matches all left rows, and a left row whose key is NULL all right ones: nobody knows that they differ.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.chains import BEHIND, FIRST, NONE, link, unlink
from windrow.kernels.events import EVENT, LEFT, PARTNER
from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

TOTAL, NULLS = 0, 1
"""Rows of the right side, and those of them whose key is NULL; counted where NULLs are heeded."""

_READ = "Array(int64, 1, 'C', True)"
_SMALL = "Array(int8, 1, 'C', True)"
_CHAINS = "int64[:, ::1], int64[:, ::1]"


@kernel("boolean(boolean, boolean, int64, int64, int64, int64)")
def is_given(alone: bool, heeds: bool, key: int, total: int, nulls: int, count: int) -> bool:
    """Whether a left row is given; `alone`: without a match. `count` is of right rows with its key."""
    if key == NONE:
        return (heeds and total > 0) != alone
    return (count > 0 or (heeds and nulls > 0)) != alone


@kernel(
    f"int64({_SMALL}, {_SMALL}, {_READ}, {_READ}, boolean, boolean, {_CHAINS}, {_CHAINS},"
    f" {_READ}, int64[::1], int64[::1], int64[::1], int64[:, ::1])"
)
def turns(
    side: Signs,
    sign: Signs,
    slot: Ints,
    key: Ints,
    alone: bool,
    heeds: bool,
    ends: Ints,
    links: Ints,
    all_ends: Ints,
    all_links: Ints,
    key_of: Ints,
    counts: Ints,
    book: Ints,
    at: Ints,
    out: Ints,
) -> int:
    """Left rows that begin or cease to be given: (event, slot). They begin to where the event is a begin,
    unless it is one of the right side and they are given `alone`.

    Left rows are in chains by key and, where NULLs are heeded, all in one more. `counts` is of right rows
    by key, `book` of all. Returns the number of turns; it stops early where `out` is full, and `at` says
    where to go on.
    """
    turned = 0
    for event in range(at[EVENT], side.shape[0]):
        at[EVENT] = event
        code, step = key[event], np.int64(sign[event])
        if side[event] == LEFT:
            count = int(0 if code == NONE else counts[code])
            if is_given(alone, heeds, code, book[TOTAL], book[NULLS], count):
                if turned == out.shape[1]:
                    return turned
                out[0, turned], out[1, turned] = event, slot[event]
                turned += 1
            if step > 0:
                if code != NONE:
                    link(ends, links, code, slot[event])
                if heeds:
                    link(all_ends, all_links, 0, slot[event])
            else:
                if code != NONE:
                    unlink(ends, links, code, slot[event])
                if heeds:
                    unlink(all_ends, all_links, 0, slot[event])
            continue
        if code == NONE and not heeds:
            continue
        if at[PARTNER] == NONE:
            if heeds:
                book[TOTAL] += step
            if code == NONE:
                book[NULLS] += step
            else:
                counts[code] += step
        total, nulls = book[TOTAL], book[NULLS]
        all_before = total - step
        nulls_before = nulls - step if code == NONE else nulls
        everyone = heeds and ((total > 0) != (all_before > 0) or (nulls > 0) != (nulls_before > 0))
        partner = at[PARTNER]
        if partner == NONE and everyone:
            partner = all_ends[0, FIRST]
        elif partner == NONE and code != NONE and (counts[code] > 0) != (counts[code] - step > 0):
            partner = ends[code, FIRST]
        while partner != NONE:
            own = key_of[partner]
            count = int(0 if own == NONE else counts[own])
            before = int(count - step if own == code else count)
            if is_given(alone, heeds, own, total, nulls, count) != is_given(
                alone, heeds, own, all_before, nulls_before, before
            ):
                if turned == out.shape[1]:
                    at[PARTNER] = partner
                    return turned
                out[0, turned], out[1, turned] = event, partner
                turned += 1
            partner = all_links[partner, BEHIND] if everyone else links[partner, BEHIND]
        at[PARTNER] = NONE
    at[EVENT] = side.shape[0]
    return turned
