"""What generated code calls. Its text is copied into every generated module, for numba's cache knows only
changes of the module itself.

A table of many rows keeps the rows of all groups in slots, with a list of slots for each group. `links`
has a row for each slot: the slots before and behind it in the list, its group (-1: the slot is free), its
ordinal, and whether it differs from what was saved. `heads` has one for each group: first slot, last slot,
and how many there are. `meta` has the first slot that is free after use, how many are, how many were
ever used, the next ordinal, and how many keys there are. Slots that are free are linked through `BEHIND`.

A table that is searched for a value has an index: `keys` has the group and the value, hashed, with the
oldest and the newest row that has it, and `same` has for each slot the rows before and behind it there.
Where rows are gone the key stays, until all are hashed anew.

Nothing grows in generated code, which numba would take very long to compile: where there is no room for
what an action puts, `run` returns, and is called again with more room to go on at that very action.
`progress` says where: at which step, row and action; how many rows were returned, and steps failed; where
room is short, and for how many rows.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

BEFORE, BEHIND, GROUP, ORDINAL, CHANGED = range(5)
FIRST, LAST, SIZE = range(3)
FREE, SPARE, USED, NEXT, KEYS = range(5)
OF, VALUE, OLDEST, NEWEST = range(4)
OLDER, NEWER = range(2)
NO_KEY, NO_ROW = -1, -2
STEP, ROW, ACTION, RETURNED, FAILED, SHORT, NEED = range(7)


def take_slot(links: Ints, heads: Ints, meta: Ints, group: int, ordinal: int) -> int:
    """A slot at the end of a group's list; there has to be one."""
    slot: int = meta[FREE]
    if slot >= 0:
        meta[FREE] = links[slot, BEHIND]
        meta[SPARE] -= 1
    else:
        slot = meta[USED]
        meta[USED] += 1
    last = heads[group, LAST]
    links[slot, BEFORE] = last
    links[slot, BEHIND] = -1
    if last >= 0:
        links[last, BEHIND] = slot
    else:
        heads[group, FIRST] = slot
    heads[group, LAST] = slot
    heads[group, SIZE] += 1
    links[slot, GROUP] = group
    links[slot, ORDINAL] = ordinal
    links[slot, CHANGED] = 1
    return slot


def drop_slot(links: Ints, heads: Ints, meta: Ints, slot: int) -> None:
    """Take a slot out of its group's list."""
    group = links[slot, GROUP]
    before = links[slot, BEFORE]
    behind = links[slot, BEHIND]
    if before >= 0:
        links[before, BEHIND] = behind
    else:
        heads[group, FIRST] = behind
    if behind >= 0:
        links[behind, BEFORE] = before
    else:
        heads[group, LAST] = before
    heads[group, SIZE] -= 1
    links[slot, GROUP] = -1
    links[slot, CHANGED] = 1
    links[slot, BEHIND] = meta[FREE]
    meta[FREE] = slot
    meta[SPARE] += 1


def drop_all(links: Ints, heads: Ints, meta: Ints, group: int) -> None:
    """Take all slots out of a group's list."""
    while heads[group, FIRST] >= 0:
        drop_slot(links, heads, meta, heads[group, FIRST])


def seek(keys: Ints, group: int, value: int) -> int:
    """Where a value of a group stands among the keys, or will."""
    mixed = value * -7046029254386353131 + group * -4417276706812531889
    place: int = (mixed ^ (mixed >> 29)) & (keys.shape[0] - 1)
    while keys[place, OLDEST] != NO_KEY and (keys[place, OF] != group or keys[place, VALUE] != value):
        place = (place + 1) & (keys.shape[0] - 1)
    return place


def put_key(keys: Ints, same: Ints, meta: Ints, group: int, value: int, slot: int) -> None:
    """Put a row behind those of its group that have the same value."""
    place = seek(keys, group, value)
    if keys[place, OLDEST] == NO_KEY:
        keys[place, OF] = group
        keys[place, VALUE] = value
        keys[place, OLDEST] = keys[place, NEWEST] = NO_ROW
        meta[KEYS] += 1
    newest = keys[place, NEWEST]
    same[slot, OLDER] = newest
    same[slot, NEWER] = NO_ROW
    if newest >= 0:
        same[newest, NEWER] = slot
    else:
        keys[place, OLDEST] = slot
    keys[place, NEWEST] = slot


def drop_key(keys: Ints, same: Ints, group: int, value: int, slot: int) -> None:
    """Take a row from among those that have the same value; the key stays."""
    older = same[slot, OLDER]
    newer = same[slot, NEWER]
    if older >= 0:
        same[older, NEWER] = newer
    if newer >= 0:
        same[newer, OLDER] = older
    if older < 0 or newer < 0:
        place = seek(keys, group, value)
        if older < 0:
            keys[place, OLDEST] = newer
        if newer < 0:
            keys[place, NEWEST] = older


def add_overflows(left: int, right: int) -> bool:
    total = left + right
    return ((left ^ total) & (right ^ total)) < 0


def subtract_overflows(left: int, right: int) -> bool:
    difference = left - right
    return ((left ^ right) & (left ^ difference)) < 0


def multiply_overflows(left: int, right: int) -> bool:
    if left == 0 or right == 0:
        return False
    if (left == -1 and right == -9223372036854775808) or (right == -1 and left == -9223372036854775808):
        return True
    return (left * right) // right != left


def add_wide(high: int, low: int, value: int) -> tuple[int, int]:
    """A number of 128 bits and one of 64."""
    total = low + value
    carry = 1 if np.uint64(total) < np.uint64(low) else 0
    return high + carry - (1 if value < 0 else 0), total


def wide_to_float(high: int, low: int) -> float:
    if high == (-1 if low < 0 else 0):
        return float(low)
    return float(high) * 18446744073709551616.0 + float(np.uint64(low))


def divided(left: int, right: int) -> int:
    """Rounded towards zero."""
    if right == 0 or right == -1:
        return -left if right == -1 else 0
    quotient = left // right
    return quotient + 1 if quotient < 0 and quotient * right != left else quotient


def remainder(left: int, right: int) -> int:
    """With the sign of what is divided."""
    if right == 0 or right == -1:
        return 0
    rest = left % right
    return rest - right if rest != 0 and (rest < 0) != (left < 0) else rest


def float_remainder(left: float, right: float) -> float:
    if math.isinf(left) or right == 0:
        return math.nan
    return math.fmod(left, right)


def same(left: float, right: float) -> bool:
    """Whether floating numbers are equal: NaN is, to itself."""
    return left == right or (left != left and right != right)


def less(left: float, right: float) -> bool:
    """Whether a floating number comes before another: NaN is the greatest."""
    return left < right or (right != right and left == left)
