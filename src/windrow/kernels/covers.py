"""Left rows that are given while their key is covered by a row of the right side, or while it is not.

Assumes that every row says when it ends, and left rows end in the order in which they came. Then of the
right side the latest end of each key is enough: the key is covered until then. And a left row that is
given only without a partner is forgotten as soon as its key is covered to the row's own end.

A key's left rows are in a chain, oldest first. What comes next for a key by itself (its cover ends, or a
row does) is told by a timer. At an instant right rows come first, so that a cover that is renewed does not
end; then what ends; then left rows come. Key 0 is that of rows that have none: nothing covers it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.chains import NONE
from windrow.kernels.registry import kernel
from windrow.kernels.timers import BEGINNING, INSTANT, KEY, NEVER, arm, disarm

Ints = npt.NDArray[np.int64]

FIRST, LAST, LENGTH = 0, 1, 2
"""Of a key's chain: the slots of its ends, and how many rows it has."""
EXP, NEXT, ORIGIN = 0, 1, 2
"""Of the row in a slot, and the next one of its chain or of the free slots. Where the row is: its place in
the batch, or ~number in the store."""
FREE, TIMERS = 0, 1
"""Of the book: the first free slot, and the number of timers."""
LEFT, RIGHT, DONE, TOLD, GONE, IDLE, NEEDED = range(7)
"""Where to go on, and whether all is done; how much of each output is filled, and how long they have to be
to go on."""
NO_KEY = 0

_READ = "Array(int64, 1, 'C', True)"
_STATE = "int64[:, ::1], int64[::1], int64[::1], int64[:, ::1], int64[:, ::1], int64[::1]"


@kernel("int64(boolean, int64, int64[:, ::1], int64[::1], int64[:, ::1])")
def due(alone: bool, key: int, chains: Ints, until: Ints, rows: Ints) -> int:
    """When a key has to be looked at. While its rows are not given, it is enough that they are forgotten
    some time after they ended."""
    first = chains[key, FIRST]
    if until[key] == BEGINNING:
        if first == NONE:
            return NEVER
        return int(rows[first if alone else chains[key, LAST], EXP])
    if alone or first == NONE:
        return int(until[key])
    return int(min(until[key], rows[first, EXP]))


@kernel("int64(int64, int64, int64, int64[:, ::1], int64[:, ::1], int64[::1])")
def link(exp: int, origin: int, key: int, chains: Ints, rows: Ints, book: Ints) -> int:
    """Put a row at the end of its key's chain, into a free slot; that slot."""
    slot = book[FREE]
    book[FREE] = rows[slot, NEXT]
    rows[slot, EXP], rows[slot, NEXT], rows[slot, ORIGIN] = exp, NONE, origin
    if chains[key, LENGTH] == 0:
        chains[key, FIRST] = slot
    else:
        rows[chains[key, LAST], NEXT] = slot
    chains[key, LAST] = slot
    chains[key, LENGTH] += 1
    return int(slot)


@kernel(
    f"void(boolean, {_READ}, {_READ}, {_READ}, {_READ}, {_READ}, {_READ}, int64, {_STATE},"
    " int64[::1], int64[:, ::1], int64[::1], int64[::1], int64[::1])"
)
def turns(
    alone: bool,
    left_ts: Ints,
    left_exp: Ints,
    left_key: Ints,
    right_ts: Ints,
    right_exp: Ints,
    right_key: Ints,
    clock: int,
    chains: Ints,
    until: Ints,
    armed: Ints,
    rows: Ints,
    heap: Ints,
    book: Ints,
    slots: Ints,
    told: Ints,
    gone: Ints,
    idle: Ints,
    at: Ints,
) -> None:
    """What begins and ceases to be given up to the clock; `alone`: while nothing covers it.

    `told` gets (instant, origin, sign), `gone` the numbers of rows of the store that are not needed any
    more, `idle` keys that nobody has, some of them again by now, and `slots` the slot of each left row that
    is kept. Stops early where there is no free slot, or no room for a timer or for what an event may tell;
    `at` says where to go on.
    """
    tellings, leavings, idles = 0, 0, 0
    i, j = at[LEFT], at[RIGHT]
    while True:
        left_next = left_ts[i] if i < left_ts.shape[0] else NEVER
        right_next = right_ts[j] if j < right_ts.shape[0] else NEVER
        timer = heap[0, INSTANT] if book[TIMERS] > 0 and heap[0, INSTANT] <= clock else NEVER
        now = min(left_next, right_next, timer)
        if now == NEVER:
            at[DONE] = 1
            break
        if book[FREE] == NONE or book[TIMERS] == heap.shape[0]:
            break
        is_right, is_timer = right_next == now, timer == now
        key = right_key[j] if is_right else heap[0, KEY] if is_timer else left_key[i]
        at[NEEDED] = max(tellings, leavings, idles) + chains[key, LENGTH] + 1
        if at[NEEDED] > told.shape[0]:
            break
        covered = until[key] != BEGINNING
        if is_right:
            j += 1
            if key == NO_KEY:
                continue
            until[key] = max(until[key], right_exp[j - 1])
        elif is_timer:
            is_valid = disarm(armed, heap, book[TIMERS])
            book[TIMERS] -= 1
            if not is_valid:
                continue
            if until[key] <= now:
                until[key] = BEGINNING
        else:
            if covered != alone:
                told[tellings, 0], told[tellings, 1], told[tellings, 2] = now, i, 1
                tellings += 1
            stays = until[key] < left_exp[i] if alone else (left_exp[i] < NEVER or until[key] < NEVER)
            if stays and (alone or key != NO_KEY):
                slots[i] = link(left_exp[i], i, key, chains, rows, book)
                if armed[key] == NEVER or (not alone and chains[key, LENGTH] == 1):
                    book[TIMERS] += arm(
                        armed, heap, book[TIMERS], due(alone, key, chains, until, rows), key
                    )
            i += 1
            continue
        is_covered = until[key] != BEGINNING
        of_ended = -1 if covered != alone else 0
        of_others = 0 if covered == is_covered else (1 if is_covered != alone else -1)
        # Rows in front of the chain are forgotten if they have ended, or are covered to their end.
        needless = until[key] if alone else BEGINNING
        slot = chains[key, FIRST]
        while slot != NONE and rows[slot, EXP] <= max(now, needless):
            sign = of_ended if rows[slot, EXP] <= now else of_others
            origin = rows[slot, ORIGIN]
            if sign != 0:
                told[tellings, 0], told[tellings, 1], told[tellings, 2] = now, origin, sign
                tellings += 1
            if origin < 0:
                gone[leavings] = ~origin
                leavings += 1
            behind = rows[slot, NEXT]
            rows[slot, ORIGIN], rows[slot, NEXT] = NEVER, book[FREE]
            book[FREE] = slot
            chains[key, LENGTH] -= 1
            slot = behind
        chains[key, FIRST] = slot
        if of_others != 0:
            while slot != NONE:
                told[tellings, 0], told[tellings, 1], told[tellings, 2] = now, rows[slot, ORIGIN], of_others
                tellings += 1
                slot = rows[slot, NEXT]
        if armed[key] == NEVER or covered != is_covered:
            book[TIMERS] += arm(armed, heap, book[TIMERS], due(alone, key, chains, until, rows), key)
            if armed[key] == NEVER and chains[key, LENGTH] == 0 and not is_covered:
                idle[idles] = key
                idles += 1
    at[LEFT], at[RIGHT], at[TOLD], at[GONE], at[IDLE] = i, j, tellings, leavings, idles


@kernel(f"int64[::1]({_READ}, int64[:, ::1])")
def remaining(slots: Ints, rows: Ints) -> Ints:
    """The left rows of a batch that are still in the slots that they got."""
    remaining, count = np.empty(slots.shape[0], np.int64), 0
    for place in range(slots.shape[0]):
        if slots[place] != NONE and rows[slots[place], ORIGIN] == place:
            remaining[count] = place
            count += 1
    return remaining[:count]


@kernel(f"void(boolean, {_READ}, {_READ}, {_READ}, {_STATE})")
def put_back(
    alone: bool,
    exp: Ints,
    origin: Ints,
    row_key: Ints,
    chains: Ints,
    until: Ints,
    armed: Ints,
    rows: Ints,
    heap: Ints,
    book: Ints,
) -> None:
    """Make the chains of left rows, in the order in which they came, and the timers of all keys anew; there
    is room for them."""
    for place in range(exp.shape[0]):
        link(exp[place], origin[place], row_key[place], chains, rows, book)
    for key in range(until.shape[0]):
        book[TIMERS] += arm(armed, heap, book[TIMERS], due(alone, key, chains, until, rows), key)
