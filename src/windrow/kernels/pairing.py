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
_AHEAD = 32
_BEGINNING = -(2**63)
_NEVER = 2**63 - 1

LEFT_DONE, RIGHT_DONE, LEFT_ENDED, RIGHT_ENDED, SEEN, USED, NOW, FULL, AHEAD = range(9)
"""Where `pair` is: tuples and ends done of either side, partners seen by the next one, entries given out,
its instant, and whether there are not enough entries for it; and something that nobody reads."""


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


@kernel(f"int64({_READ}, int64, int64, int64[:, ::1], int64[:, ::1])")
def look_ahead(keys: Ints, begin: int, theirs: int, heads: Ints, entries: Ints) -> int:
    """Look at the lists in which the next tuples will look for partners, so that none waits until the
    memory of another has come. What is returned means nothing."""
    seen = 0
    for place in range(begin, min(begin + _AHEAD, keys.shape[0])):
        first = heads[keys[place], theirs + BEGIN]
        seen ^= entries[min(first, entries.shape[0] - 1), 0]
    return seen


_TUPLES = f"{_READ}, {_READ}, {_READ}, int64, {_READ}, {_READ}, {_READ}"


@kernel(f"int64({_TUPLES}, {_TUPLES}, int64[:, ::1], int64[:, ::1], int64[::1], int64[:, ::1], int64[::1])")
def pair(
    left_ts: Ints,
    left_exp: Ints,
    left_key: Ints,
    left_first: int,
    left_end: Ints,
    left_end_key: Ints,
    left_ended: Ints,
    right_ts: Ints,
    right_exp: Ints,
    right_key: Ints,
    right_first: int,
    right_end: Ints,
    right_end_key: Ints,
    right_ended: Ints,
    heads: Ints,
    entries: Ints,
    at: Ints,
    pairs: Ints,
    ts: Ints,
) -> int:
    """Each arriving tuple with its live partners that came before it, in time order; the left side first.
    Likewise each tuple that ends, if such are given, with its partners that have not ended before; at an
    instant these come first.

    Into `pairs` go row numbers and the end of a pair (left, right, exp), the same as its `ts` where that is
    what is told. Returns their number; `at` says how far that is. It stops early where `pairs` might be
    full or where `entries` is.
    """
    i, j, count = at[LEFT_DONE], at[RIGHT_DONE], 0
    ended_i, ended_j = at[LEFT_ENDED], at[RIGHT_ENDED]
    at[FULL] = 0
    while True:
        if (i + j) % _AHEAD == 0:
            at[AHEAD] ^= look_ahead(left_key, i, SIDE, heads, entries)
            at[AHEAD] ^= look_ahead(right_key, j, 0, heads, entries)
        one = left_ts[i] if i < left_ts.shape[0] else _NEVER
        two = right_ts[j] if j < right_ts.shape[0] else _NEVER
        end_one = left_end[ended_i] if ended_i < left_end.shape[0] else _NEVER
        end_two = right_end[ended_j] if ended_j < right_end.shape[0] else _NEVER
        begin, end = min(one, two), min(end_one, end_two)
        if min(begin, end) == _NEVER:
            break
        begins = begin < end
        if begins:
            own = 0 if one <= two else 1
            now = over = begin
            if own == 0:
                exp, key, number = left_exp[i], left_key[i], left_first + i
            else:
                exp, key, number = right_exp[j], right_key[j], right_first + j
        else:
            own = 0 if end_one <= end_two else 1
            now = exp = end
            # Of two that end together the left one is told first, and its pair only once.
            over = end - 1 + own
            if own == 0:
                key, number = left_end_key[ended_i], left_ended[ended_i]
            else:
                key, number = right_end_key[ended_j], right_ended[ended_j]
        other = 1 - own
        mine, theirs = SIDE * own, SIDE * other
        first, last = heads[key, theirs + BEGIN], heads[key, theirs + END]
        start, before, ended = min(first + at[SEEN], last), count, 0
        stop = min(last, start + ts.shape[0] - count)
        for place in range(np.uint64(start), np.uint64(stop)):
            # Written whether it lives or not, and without a sign: jumps and checks would cost more.
            until, partner, out = entries[place, 0], entries[place, 1], np.uint64(count)
            pairs[0, out] = number if own == 0 else partner
            pairs[1, out] = partner if own == 0 else number
            pairs[2, out], ts[out] = min(exp, until), now
            count += until > over
            ended += count == before
        if start == first:
            first += ended
            heads[key, theirs + BEGIN] = first
        at[SEEN] = stop - first
        if stop < last:
            break
        if begins:
            is_full = heads[key, mine + END] == heads[key, mine + LIMIT]
            if is_full and not make_room(heads, entries, at, key, mine, now):
                at[FULL], at[NOW] = 1, now
                break
            place = heads[key, mine + END]
            entries[place, 0], entries[place, 1] = exp, number
            heads[key, mine + END] = place + 1
        at[SEEN] = 0
        if 2 * (last - first - count + before) > last - first:
            drop_ended(heads, entries, key, theirs, over)
        if begins:
            i += other
            j += own
        else:
            ended_i += other
            ended_j += own
    at[LEFT_DONE], at[RIGHT_DONE] = i, j
    at[LEFT_ENDED], at[RIGHT_ENDED] = ended_i, ended_j
    return count


@kernel("int64(int64[:, ::1], int64[:, ::1], int64, boolean, int64[:, ::1], int64[:, ::1])")
def repack(heads: Ints, entries: Ints, clock: int, forget: bool, new_heads: Ints, new_entries: Ints) -> int:
    """Copy the lists, without what ended up to a clock, to where each has room for as much again.

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
                room = heads[key, side + LIMIT] - heads[key, side + START]
                used = start + max(min(room, 8 * live), 2 * live + 2)
            if not dry:
                new_heads[key, side + START] = new_heads[key, side + BEGIN] = start
                new_heads[key, side + END] = target
                new_heads[key, side + LIMIT] = used
    return used
