"""A hash table from 64-bit keys to small numbers, in arrays: linear probing, no tombstones.

`slots` holds code + 1, and 0 where nothing is; its length is a power of two. `key_of` holds the key of
each code, and is half as long: the caller grows both where `assign` stops.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]


@kernel("int64(int64, int64)")
def home(key: int, length: int) -> int:
    """The slot at which a key is looked for first."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return int((mixed ^ (mixed >> np.uint64(32))) & np.uint64(length - 1))


@kernel("int64(int64, int64[::1], int64[::1])")
def slot_of(key: int, slots: Ints, key_of: Ints) -> int:
    """Where a key is, or the empty slot where it would be."""
    place = home(key, slots.shape[0])
    while slots[place] != 0 and key_of[slots[place] - 1] != key:
        place = (place + 1) & (slots.shape[0] - 1)
    return place


@kernel(
    "int64(Array(int64, 1, 'C', True), int64[::1], int64[::1], Array(int64, 1, 'C', True),"
    " int64[::1], int64[::1], int64[::1])"
)
def assign(keys: Ints, slots: Ints, key_of: Ints, free: Ints, used: Ints, codes: Ints, new: Ints) -> int:
    """The code of each key, into `codes`; a new key takes the first free code, and its place is in `new`.

    `free` has the codes that were given back, rising. `used` is (codes ever taken, of `free` taken again,
    keys done, new keys), and says where to go on. Returns the number of keys done: not all of them where
    the table is too small.
    """
    for place in range(used[2], keys.shape[0]):
        slot = slot_of(keys[place], slots, key_of)
        if slots[slot] == 0:
            if used[1] < free.shape[0]:
                code = free[used[1]]
                used[1] += 1
            elif used[0] < key_of.shape[0]:
                code = used[0]
                used[0] += 1
            else:
                break
            key_of[code] = keys[place]
            slots[slot] = code + 1
            new[used[3]] = place
            used[3] += 1
        codes[place] = slots[slot] - 1
        used[2] = place + 1
    return int(used[2])


@kernel("int64(Array(int64, 1, 'C', True), int64, int64[::1], int64[::1])")
def look_up(keys: Ints, least: int, direct: Ints, codes: Ints) -> int:
    """The codes of keys from `least` on, each of which is in its own place, and one too great; -1 for other
    keys. Returns how many of these there are."""
    missing = 0
    for place in range(keys.shape[0]):
        at = np.uint64(keys[place] - least)
        code = direct[at] - 1 if at < np.uint64(direct.shape[0]) else -1
        codes[place] = code
        missing += code < 0
    return missing


@kernel("int64[::1](Array(int64, 1, 'C', True), int64[::1], int64[::1])")
def find(keys: Ints, slots: Ints, key_of: Ints) -> Ints:
    """The code of each key; -1 for one that has none."""
    codes = np.empty(keys.shape[0], np.int64)
    for place in range(keys.shape[0]):
        codes[place] = slots[slot_of(keys[place], slots, key_of)] - 1
    return codes


@kernel("void(Array(int64, 1, 'C', True), int64[::1], int64[::1])")
def put(codes: Ints, slots: Ints, key_of: Ints) -> None:
    """Enter codes whose keys are in `key_of` but not in `slots`."""
    for code in codes:
        slots[slot_of(key_of[code], slots, key_of)] = code + 1


@kernel("void(Array(int64, 1, 'C', True), int64[::1], int64[::1])")
def remove(codes: Ints, slots: Ints, key_of: Ints) -> None:
    """Take codes out. What was put behind one for want of its place moves up."""
    mask = slots.shape[0] - 1
    for code in codes:
        gap = slot_of(key_of[code], slots, key_of)
        place = gap
        while True:
            place = (place + 1) & mask
            if slots[place] == 0:
                break
            wish = home(key_of[slots[place] - 1], slots.shape[0])
            if (place - wish) & mask >= (place - gap) & mask:
                slots[gap] = slots[place]
                gap = place
        slots[gap] = 0
