"""The entries of the first ranks, found by looking at all entries, which is less work than keeping an order
where most of them change at each instant. Keys, slots and what is told are those of `ranking`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.ranking import compare, first_word
from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Signs = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

_READ = "Array(int64, 1, 'C', True)"
_NONE = -1
_LAST = 2**63 - 1


@kernel("int64(uint64[::1], int64, int64)")
def chain_of(words: Words, key: int, chains: int) -> int:
    """The chain that holds the entries of a key; there are a power of two of them."""
    mixed = np.uint64(0)
    for place in range(1, words[key] + np.uint64(1)):
        mixed = (mixed ^ words[key + np.int64(place)]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return int(mixed & np.uint64(chains - 1))


@kernel("int64(int64[::1], int64[::1], uint64[::1], int64[::1], int64)")
def unlink(heads: Ints, behind: Ints, words: Words, start: Ints, key: int) -> int:
    """Take the entry of a key out, of equal ones that with the smallest slot; -1 if there is none."""
    chain = chain_of(words, key, heads.shape[0])
    found, before_found, before, slot = _NONE, _NONE, _NONE, heads[chain]
    while slot != _NONE:
        if compare(words, start[slot], key) == 0 and (found == _NONE or slot < found):
            found, before_found = slot, before
        before, slot = slot, behind[slot]
    if found != _NONE:
        if before_found == _NONE:
            heads[chain] = behind[found]
        else:
            behind[before_found] = behind[found]
    return int(found)


@kernel("int64(uint64[::1], int64[::1], int64[::1], int64[::1], int64, int64[::1], int64[::1])")
def select(
    words: Words, start: Ints, live: Ints, leads: Ints, count: int, best: Ints, best_leads: Ints
) -> int:
    """The first entries of `count`, as many as there is room for in `best`, in order. `leads` has the first
    words of their keys, which mostly decide. Returns how many there are."""
    found, room = 0, best.shape[0]
    for place in range(count):
        slot, lead = live[place], leads[place]
        if found == room and lead > best_leads[room - 1]:
            continue
        at = found
        while at > 0 and lead <= best_leads[at - 1]:
            if lead == best_leads[at - 1]:
                order = compare(words, start[slot], start[best[at - 1]])
                if order > 0 or (order == 0 and slot > best[at - 1]):
                    break
            at -= 1
        if at == room:
            continue
        for other in range(min(found, room - 1), at, -1):
            best[other], best_leads[other] = best[other - 1], best_leads[other - 1]
        best[at], best_leads[at] = slot, lead
        found = min(found + 1, room)
    return found


@kernel("int64(int64[::1], int64[::1], boolean[::1], int64, int64, int64[::1], int8[::1], int64[::1])")
def tell(
    shown: Ints,
    now: Ints,
    inside: Flags,
    instant: int,
    count: int,
    told: Ints,
    signs: Signs,
    instants: Ints,
) -> int:
    """Note who was shown and is not any more, and who is now and was not; each in the order of slots."""
    # Whoever is both is not inside until the end.
    for slot in now:
        inside[slot] = not inside[slot]
    for slot in np.sort(shown):
        if inside[slot]:
            told[count], signs[count], instants[count] = slot, -1, instant
            count += 1
        inside[slot] = False
    for slot in np.sort(now):
        if inside[slot]:
            told[count], signs[count], instants[count] = slot, 1, instant
            count += 1
        inside[slot] = True
    return count


@kernel(
    f"Tuple((int64, int64))({_READ}, Array(int8, 1, 'C', True), int64[::1], {_READ}, int64, int64,"
    " uint64[::1], int64[::1], boolean[::1], int64[::1], int64, int64, int64[::1], int8[::1], int64[::1])"
)
def play(
    ts: Ints,
    sign: Signs,
    slots: Ints,
    keys: Ints,
    first: int,
    end: int,
    words: Words,
    start: Ints,
    inside: Flags,
    live: Ints,
    count: int,
    chains: int,
    told: Ints,
    signs: Signs,
    instants: Ints,
) -> tuple[int, int]:
    """Take in changes, as `ranking.play` does. `live` has the slots of `count` entries, and room for more.
    Returns how many slots are told, and how many entries are live."""
    heads, behind = np.full(chains, _NONE), np.empty(start.shape[0], np.int64)
    place, leads = np.empty(start.shape[0], np.int64), np.empty(live.shape[0], np.int64)
    best, best_leads = np.empty(end, np.int64), np.empty(end, np.int64)
    for at in range(count):
        slot = live[at]
        chain = chain_of(words, start[slot], chains)
        behind[slot], heads[chain] = heads[chain], slot
        place[slot], leads[at] = at, first_word(words, start[slot])
    found = select(words, start, live, leads, count, best, best_leads)
    shown = best[first:found].copy()
    telling = 0
    begun, is_other = 0, False
    for at in range(ts.shape[0] + 1):
        if at == ts.shape[0] or ts[at] != ts[begun]:
            if is_other:
                found = select(words, start, live, leads, count, best, best_leads)
                telling = tell(shown, best[first:found], inside, ts[begun], telling, told, signs, instants)
                shown = best[first:found].copy()
            begun, is_other = at, False
            if at == ts.shape[0]:
                break
        lead = first_word(words, keys[at])
        if found < end or lead <= best_leads[end - 1]:
            is_other = True
        if sign[at] > 0:
            slot = slots[at]
            chain = chain_of(words, keys[at], chains)
            behind[slot], heads[chain] = heads[chain], slot
            place[slot], live[count], leads[count] = count, slot, lead
            count += 1
        else:
            slot = slots[at] = unlink(heads, behind, words, start, keys[at])
            if slot != _NONE:
                count -= 1
                gap, last = place[slot], live[count]
                live[gap], leads[gap], place[last] = last, leads[count], gap
    return telling, count
