"""The greatest value of each group, where tuples never end and where ends are foreseen.

Where ends are foreseen, each group keeps only the tuples that can still be the greatest: a *stair* that
ends later than another and is not less makes the other one useless. So stairs stand in the order of their
ends, from the greatest to the least, and the first one is the answer.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

_READ = "Array(int64, 1, 'C', True)"
_SIGNS = "Array(int8, 1, 'C', True)"

_POSITIVE = 2**63 - 1
_INFINITY = 0x7FF0000000000000
_NAN = 0x7FF8000000000000

NONE = -1
THERE, VALUE = range(2)
"""What is noted of a group: 1 if it has a greatest value, and that value."""
FIRST, LAST = range(2)
"""Of a group's stairs, in `ends`."""
BEFORE, BEHIND = range(2)
"""Of a stair, in `links`. The stairs that are free are linked by BEHIND, too, and `free` has the first."""


@kernel(f"void({_READ}, {_SIGNS}, {_READ}, {_READ}, {_READ}, int64[:, ::1], int64[:, ::1])")
def keep_greatest(
    rows: Ints, signs: Signs, moments: Ints, groups: Ints, values: Ints, state: Ints, noted: Ints
) -> None:
    """Of each group whose tuples never end the greatest value, in `state`, and after each moment."""
    for event in range(rows.shape[0]):
        row, moment = rows[event], moments[event]
        group = groups[row]
        if signs[event] > 0 and (state[group, THERE] == 0 or values[row] > state[group, VALUE]):
            state[group, THERE], state[group, VALUE] = 1, values[row]
        if moment >= 0:
            noted[moment, THERE], noted[moment, VALUE] = state[group, THERE], state[group, VALUE]


@kernel(f"void({_READ}, boolean, int64[::1])")
def rank_floats(words: Ints, turned: bool, ranks: Ints) -> None:
    """The bits of floating numbers as whole numbers of the same order, or of the order turned round. Both
    zeros are one number, and so are all NaN, which are the greatest."""
    for place in range(words.shape[0]):
        word = words[place]
        if word & _POSITIVE == 0:
            word = 0
        elif word & _POSITIVE > _INFINITY:
            word = _NAN
        elif word < 0:
            word ^= _POSITIVE
        ranks[place] = ~word if turned else word


@kernel("void(int64[:, ::1], int64, int64[:, ::1], int64[::1])")
def drop(ends: Ints, group: int, links: Ints, free: Ints) -> None:
    """Take away the first stair of a group."""
    stair = ends[group, FIRST]
    behind = links[stair, BEHIND]
    ends[group, FIRST] = behind
    if behind == NONE:
        ends[group, LAST] = NONE
    else:
        links[behind, BEFORE] = NONE
    links[stair, BEHIND] = free[0]
    free[0] = stair


@kernel("void(int64[:, ::1], int64, int64[:, ::1], int64[:, ::1], int64[::1], int64, int64)")
def climb(ends: Ints, group: int, links: Ints, stairs: Ints, free: Ints, value: int, end: int) -> None:
    """Put in a stair, unless one that ends no sooner is no less; take away those that it makes useless."""
    behind, before = NONE, ends[group, LAST]
    while before != NONE and stairs[before, 0] >= end:
        if stairs[before, 1] >= value:
            return
        if stairs[before, 0] == end:
            break
        behind, before = before, links[before, BEFORE]
    while before != NONE and stairs[before, 1] <= value:
        useless, before = before, links[before, BEFORE]
        links[useless, BEHIND] = free[0]
        free[0] = useless
    stair = free[0]
    free[0] = links[stair, BEHIND]
    stairs[stair, 0], stairs[stair, 1] = end, value
    links[stair, BEFORE], links[stair, BEHIND] = before, behind
    if before == NONE:
        ends[group, FIRST] = stair
    else:
        links[before, BEHIND] = stair
    if behind == NONE:
        ends[group, LAST] = stair
    else:
        links[behind, BEFORE] = stair


@kernel(
    f"int64({_READ}, {_SIGNS}, {_READ}, {_READ}, {_READ}, {_READ}, {_READ},"
    " int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[::1], int64[:, ::1], int64)"
)
def keep_stairs(
    rows: Ints,
    signs: Signs,
    moments: Ints,
    groups: Ints,
    instants: Ints,
    values: Ints,
    leaving: Ints,
    ends: Ints,
    links: Ints,
    stairs: Ints,
    free: Ints,
    noted: Ints,
    event: int,
) -> int:
    """The stairs of each group as tuples come and end, and the first one after each moment, from an event
    on. Returns at which event it stopped because no stair was free."""
    while event < rows.shape[0] and free[0] != NONE:
        row, moment = rows[event], moments[event]
        group = groups[row]
        while ends[group, FIRST] != NONE and stairs[ends[group, FIRST], 0] <= instants[event]:
            drop(ends, group, links, free)
        if signs[event] > 0:
            climb(ends, group, links, stairs, free, values[row], leaving[row])
        if moment >= 0:
            first = ends[group, FIRST]
            noted[moment, THERE] = first != NONE
            noted[moment, VALUE] = 0 if first == NONE else stairs[first, 1]
        event += 1
    return event
