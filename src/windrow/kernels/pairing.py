"""Pairs of live tuples of two sides with equal keys: a symmetric hash join on numbers.

Each key has a list of entries (exp, row number) for either side, in the order in which the tuples came.
A list is a piece of `entries`; `heads[key]` has, for the left side and then for the right one, where the
piece starts, where the list begins in it and ends, and where the piece ends. The list of a side whose
tuples leave in the order in which they came only ever loses its head; other lists lose what has ended
when someone comes by.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]

START, BEGIN, END, LIMIT = 0, 1, 2, 3
SIDE = 4
WIDTH = 2 * SIDE
"""Numbers in a head: these four of the left side, and of the right one."""
_FIRST_ROOM = 4
_BEGINNING = -(2**63)

LEFT_DONE, RIGHT_DONE, SEEN, USED, NOW = 0, 1, 2, 3, 4
"""Where `pair` is: tuples done of either side, partners seen by the next one, entries given out, its ts."""


@kernel("boolean(int64[:, ::1], int64[:, ::1], int64[::1], int64, int64, int64)")
def make_room(heads: Ints, entries: Ints, at: Ints, key: int, side: int, now: int) -> bool:
    """Room for one more entry in a full list: what has ended goes, or the list moves to a larger piece.

    False where there is no such piece.
    """
    start, begin, end = heads[key, side + START], heads[key, side + BEGIN], heads[key, side + END]
    room = heads[key, side + LIMIT] - start
    live = 0
    for place in range(begin, end):
        if entries[place, 0] > now:
            live += 1
    target = start
    if 2 * live >= room:
        room = max(2 * room, _FIRST_ROOM)
        if at[USED] + room > entries.shape[0]:
            return False
        target = at[USED]
        at[USED] += room
    heads[key, side + START] = heads[key, side + BEGIN] = target
    for place in range(begin, end):
        if entries[place, 0] > now:
            entries[target, 0] = entries[place, 0]
            entries[target, 1] = entries[place, 1]
            target += 1
    heads[key, side + END] = target
    heads[key, side + LIMIT] = heads[key, side + START] + room
    return True


@kernel("void(int64[:, ::1], int64[:, ::1], int64, int64, int64)")
def drop_ended(heads: Ints, entries: Ints, key: int, side: int, now: int) -> None:
    """Take what has ended out of the middle of a list."""
    target = heads[key, side + BEGIN]
    for place in range(target, heads[key, side + END]):
        if entries[place, 0] > now:
            entries[target, 0] = entries[place, 0]
            entries[target, 1] = entries[place, 1]
            target += 1
    heads[key, side + END] = target


@kernel("boolean(int64[:, ::1], int64[:, ::1], int64[::1], int64, int64, int64, int64, int64)")
def append(
    heads: Ints, entries: Ints, at: Ints, key: int, side: int, now: int, exp: int, number: int
) -> bool:
    """Put an entry at the end of a list; False where there is no room for it."""
    if heads[key, side + END] == heads[key, side + LIMIT] and not make_room(
        heads, entries, at, key, side, now
    ):
        return False
    place = heads[key, side + END]
    entries[place, 0] = exp
    entries[place, 1] = number
    heads[key, side + END] = place + 1
    return True


_READ = "Array(int64, 1, 'C', True)"


@kernel(f"int64(int64[:, ::1], int64[:, ::1], int64[::1], int64, {_READ}, {_READ}, {_READ}, int64)")
def enter(
    heads: Ints, entries: Ints, at: Ints, side: int, exp: Ints, keys: Ints, numbers: Ints, done: int
) -> int:
    """Put tuples into the lists of one side, without looking for partners. Returns how many are in."""
    while done < len(keys) and append(
        heads, entries, at, keys[done], side, _BEGINNING, exp[done], numbers[done]
    ):
        done += 1
    return done


@kernel(
    f"int64({_READ}, {_READ}, {_READ}, int64, {_READ}, {_READ}, {_READ}, int64,"
    " int64[:, ::1], int64[:, ::1], int64[::1], int64[:, ::1], int64[:, ::1])"
)
def pair(
    left_ts: Ints,
    left_exp: Ints,
    left_key: Ints,
    left_first: int,
    right_ts: Ints,
    right_exp: Ints,
    right_key: Ints,
    right_first: int,
    heads: Ints,
    entries: Ints,
    at: Ints,
    rows: Ints,
    lives: Ints,
) -> int:
    """Each arriving tuple with its live partners that came before it, in time order; the left side first.

    Row numbers go into `rows` (left, right), instants into `lives` (ts, exp). Returns the number of pairs;
    `at` says how far that is. It stops early where `rows` is full or where `entries` is.
    """
    i, j, count = at[LEFT_DONE], at[RIGHT_DONE], 0
    while i < left_ts.shape[0] or j < right_ts.shape[0]:
        if i < left_ts.shape[0] and (j >= right_ts.shape[0] or left_ts[i] <= right_ts[j]):
            now, exp, key, number, own = left_ts[i], left_exp[i], left_key[i], left_first + i, 0
        else:
            now, exp, key, number, own = right_ts[j], right_exp[j], right_key[j], right_first + j, 1
        other = 1 - own
        mine, theirs = SIDE * own, SIDE * other
        begin, end = heads[key, theirs + BEGIN], heads[key, theirs + END]
        while begin < end and entries[begin, 0] <= now:
            begin += 1
        heads[key, theirs + BEGIN] = begin
        ended = 0
        for place in range(begin + at[SEEN], end):
            until = entries[place, 0]
            if until <= now:
                ended += 1
                continue
            if count == rows.shape[1]:
                at[SEEN] = place - begin
                at[LEFT_DONE], at[RIGHT_DONE] = i, j
                return count
            rows[own, count] = number
            rows[other, count] = entries[place, 1]
            lives[0, count] = now
            lives[1, count] = min(exp, until)
            count += 1
        if not append(heads, entries, at, key, mine, now, exp, number):
            at[SEEN] = end - begin
            at[LEFT_DONE], at[RIGHT_DONE], at[NOW] = i, j, now
            return count
        at[SEEN] = 0
        if 2 * ended > end - begin:
            drop_ended(heads, entries, key, theirs, now)
        i += other
        j += own
    at[LEFT_DONE], at[RIGHT_DONE] = i, j
    return count


@kernel("int64(int64[:, ::1], int64[:, ::1], int64, boolean, int64[:, ::1], int64[:, ::1])")
def repack(heads: Ints, entries: Ints, clock: int, forget: bool, new_heads: Ints, new_entries: Ints) -> int:
    """Copy the lists, without what ended up to a clock, to where each has room to grow.

    Lists that are empty keep a little room, unless they are to be forgotten. Returns the entries used, or
    would be used: where `new_entries` is of no length, nothing is copied.
    """
    used = 0
    dry = new_entries.shape[0] == 0
    for key in range(heads.shape[0]):
        for side in range(0, WIDTH, SIDE):
            start, target = used, used
            for place in range(heads[key, side + BEGIN], heads[key, side + END]):
                if entries[place, 0] > clock:
                    if not dry:
                        new_entries[target, 0] = entries[place, 0]
                        new_entries[target, 1] = entries[place, 1]
                    target += 1
            live = target - start
            if live > 0 or (heads[key, side + LIMIT] > heads[key, side + START] and not forget):
                used = start + live + max(live // 2, 2)
            if not dry:
                new_heads[key, side + START] = new_heads[key, side + BEGIN] = start
                new_heads[key, side + END] = target
                new_heads[key, side + LIMIT] = used
    return used
