"""A hash table of keys that are a few words of 64 bits each. A key lies in the row of its code, behind
other numbers: the columns of `rows` from `at` on.

An entry of `slots` is a hash of 32 bits and, below it, code + 1; 0 where nothing is. So entries move
without a look at their rows. The length of `slots` is a power of two, at least twice the number of rows.
Linear probing, no tombstones.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

FRESH, REUSED, DONE = 0, 1, 2
"""Where `assign` is: codes ever taken, of the free ones taken again, keys done."""

_READ = "Array(int64, 1, 'C', True)"
_KEYS = "Array(int64, 2, 'C', True)"
_AHEAD = 128
"""So many keys are looked for at once: none waits until the memory of another has come."""
_LOW = 0xFFFFFFFF


@kernel(f"int64({_KEYS}, int64, int64)")
def hashed(keys: Ints, place: int, at: int) -> int:
    """A hash of 32 bits."""
    mixed = np.uint64(0)
    for word in range(at, keys.shape[1]):
        mixed = (mixed ^ np.uint64(keys[place, word])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return int(mixed & np.uint64(_LOW))


@kernel(f"boolean({_KEYS}, int64, int64[:, ::1], int64, int64)")
def is_at(keys: Ints, place: int, rows: Ints, code: int, at: int) -> bool:
    """Whether a key is that of a code."""
    same = True
    for word in range(keys.shape[1]):
        same &= rows[code, at + word] == keys[place, word]
    return same


@kernel(f"int64({_KEYS}, int64, int64, int64[:, ::1], int64, int64[::1])")
def slot_of(keys: Ints, place: int, hash_: int, rows: Ints, at: int, slots: Ints) -> int:
    """Where a key is, or the empty slot where it would be."""
    mask = slots.shape[0] - 1
    slot = int(hash_ & mask)
    while slots[slot] != 0:
        entry = slots[slot]
        if (entry >> 32) & _LOW == hash_ and is_at(keys, place, rows, (entry & _LOW) - 1, at):
            return slot
        slot = (slot + 1) & mask
    return slot


@kernel(f"int64({_KEYS}, int64[:, ::1], int64, int64[::1], {_READ}, int64[::1], int64[::1], boolean[::1])")
def assign(
    keys: Ints, rows: Ints, at: int, slots: Ints, free: Ints, book: Ints, codes: Ints, changed: Flags
) -> int:
    """The code of each key, into `codes`; a new key takes the first free code, and `changed` says so.

    `free` has the codes that were given back, rising. Returns the number of keys done: not all of them
    where the table is too small; `book` says where to go on.
    """
    hashes, found = np.empty(_AHEAD, np.int64), np.empty(_AHEAD, np.int64)
    mask = slots.shape[0] - 1
    for begin in range(book[DONE], keys.shape[0], _AHEAD):
        end = min(begin + _AHEAD, keys.shape[0])
        for place in range(begin, end):
            hashes[place - begin] = hashed(keys, place, 0)
            found[place - begin] = slots[hashes[place - begin] & mask]
        for place in range(begin, end):
            entry = found[place - begin]
            code = (entry & _LOW) - 1
            alike = code >= 0 and (entry >> 32) & _LOW == hashes[place - begin]
            found[place - begin] = code if alike and is_at(keys, place, rows, code, at) else -1
        for place in range(begin, end):
            code = found[place - begin]
            if code < 0:
                slot = slot_of(keys, place, hashes[place - begin], rows, at, slots)
                code = (slots[slot] & _LOW) - 1
                if code < 0:
                    if book[REUSED] < free.shape[0]:
                        code = free[book[REUSED]]
                        book[REUSED] += 1
                    elif book[FRESH] < rows.shape[0]:
                        code = book[FRESH]
                        book[FRESH] += 1
                    else:
                        return int(book[DONE])
                    for word in range(keys.shape[1]):
                        rows[code, at + word] = keys[place, word]
                    slots[slot] = (hashes[place - begin] << 32) | (code + 1)
                    changed[code] = True
            codes[place] = code
            book[DONE] = place + 1
    return int(book[DONE])


@kernel(f"void({_READ}, {_KEYS}, int64, int64[::1])")
def put(codes: Ints, rows: Ints, at: int, slots: Ints) -> None:
    """Enter codes whose keys are in their rows but not in `slots`."""
    mask = slots.shape[0] - 1
    for code in codes:
        hash_ = hashed(rows, code, at)
        slot = hash_ & mask
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = (hash_ << 32) | (code + 1)


@kernel(f"void({_READ}, int64[::1])")
def move(entries: Ints, slots: Ints) -> None:
    """Enter what is in the slots of another table."""
    mask = slots.shape[0] - 1
    for entry in entries:
        if entry != 0:
            slot = (entry >> 32) & mask
            while slots[slot] != 0:
                slot = (slot + 1) & mask
            slots[slot] = entry


@kernel(f"void({_READ}, int64[:, ::1], int64, int64[::1], boolean[::1])")
def remove(codes: Ints, rows: Ints, at: int, slots: Ints, changed: Flags) -> None:
    """Take codes out, and make their rows 0. What was put behind one for want of its place moves up."""
    mask = slots.shape[0] - 1
    hashes, found = np.empty(_AHEAD, np.int64), np.empty(_AHEAD, np.int64)
    for begin in range(0, codes.shape[0], _AHEAD):
        end = min(begin + _AHEAD, codes.shape[0])
        for place in range(begin, end):
            hashes[place - begin] = hashed(rows, codes[place], at)
            found[place - begin] = slots[hashes[place - begin] & mask]
        for place in range(begin, end):
            code, gap = codes[place], hashes[place - begin] & mask
            # What was in its own place before is still there.
            if found[place - begin] & _LOW != code + 1:
                while slots[gap] & _LOW != code + 1:
                    gap = (gap + 1) & mask
            slot = (gap + 1) & mask
            while slots[slot] != 0:
                wish = (slots[slot] >> 32) & mask
                if (slot - wish) & mask >= (slot - gap) & mask:
                    slots[gap] = slots[slot]
                    gap = slot
                slot = (slot + 1) & mask
            slots[gap] = 0
            for word in range(rows.shape[1]):
                rows[code, word] = 0
            changed[code] = True
