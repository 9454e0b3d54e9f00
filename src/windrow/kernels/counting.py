"""Windows of a number of tuples, one for each key: lists of slots, oldest first.

A key's list has first the tuples that its window holds, then those that wait for it to move. Slots are
counted from 1, and 0 is the end. `book` has the columns below, `keys` a row for each key.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

FREE, USED, WAITING = range(3)
"""Of a book: the first free slot; slots ever used; tuples that wait."""
OLDEST, ENTERING, NEWEST, HELD, PHASE = range(5)
"""Of a key: the first slot, the first that waits, the last; how many are held; how many tuples came since
the window moved."""


@kernel(
    "Tuple((int64[::1], int64[::1], int8[::1], int64[::1]))(Array(int64, 1, 'C', True), int64,"
    " int64, int64, int64[:, ::1], int64[::1], int64[::1], int64[::1])"
)
def arrive(
    codes: Ints, first: int, size: int, slide: int, keys: Ints, chain: Ints, number: Ints, book: Ints
) -> tuple[Ints, Ints, Signs, Ints]:
    """Take in tuples with these keys, numbered from `first` on. There is room for them.

    What changes: the numbers of the tuples that enter and leave, the places of those that made the window
    move, and signs. At last the numbers of the tuples that are not needed any more.
    """
    most = 2 * (book[WAITING] + codes.shape[0])
    changed, mover, sign = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int8)
    gone = np.empty(most, np.int64)
    changes, goners = 0, 0
    for place in range(codes.shape[0]):
        key = keys[codes[place]]
        key[PHASE] += 1
        if key[PHASE] > slide - size:
            slot = book[FREE]
            if slot != 0:
                book[FREE] = chain[slot - 1]
            else:
                book[USED] += 1
                slot = book[USED]
            number[slot - 1], chain[slot - 1] = first + place, 0
            if key[OLDEST] == 0:
                key[OLDEST] = slot
            else:
                chain[key[NEWEST] - 1] = slot
            if key[ENTERING] == 0:
                key[ENTERING] = slot
            key[NEWEST] = slot
            book[WAITING] += 1
        else:
            gone[goners] = first + place
            goners += 1
        if key[PHASE] < slide:
            continue
        entering = min(slide, size)
        while key[HELD] + entering > size:
            slot = key[OLDEST]
            key[OLDEST] = chain[slot - 1]
            key[HELD] -= 1
            changed[changes], mover[changes], sign[changes] = number[slot - 1], place, -1
            gone[goners] = number[slot - 1]
            goners += 1
            changes += 1
            chain[slot - 1] = book[FREE]
            book[FREE] = slot
        slot = key[ENTERING]
        while slot != 0:
            changed[changes], mover[changes], sign[changes] = number[slot - 1], place, 1
            changes += 1
            slot = chain[slot - 1]
        key[HELD] += entering
        key[ENTERING], key[PHASE] = 0, 0
        book[WAITING] -= entering
    return changed[:changes].copy(), mover[:changes].copy(), sign[:changes].copy(), gone[:goners].copy()
