"""The tuples of each group, as lists of slots in the order in which they came.

`lists` has a row for each group: its first slot, its last one and how many there are; `links` one for each
slot: the one before it and the one behind. -1 is none.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

_READ = "Array(int64, 1, 'C', True)"
_SIGNS = "Array(int8, 1, 'C', True)"

FIRST, LAST, SIZE = range(3)
BEFORE, BEHIND = range(2)


@kernel("void(int64[:, ::1], int64[:, ::1], int64, int64)")
def link(lists: Ints, links: Ints, group: int, slot: int) -> None:
    """Put a slot at the end of a group's list."""
    last = lists[group, LAST]
    links[slot, BEFORE], links[slot, BEHIND] = last, -1
    if last >= 0:
        links[last, BEHIND] = slot
    else:
        lists[group, FIRST] = slot
    lists[group, LAST] = slot
    lists[group, SIZE] += 1


@kernel("void(int64[:, ::1], int64[:, ::1], int64, int64)")
def unlink(lists: Ints, links: Ints, group: int, slot: int) -> None:
    """Take a slot out of a group's list."""
    before, behind = links[slot, BEFORE], links[slot, BEHIND]
    if before >= 0:
        links[before, BEHIND] = behind
    else:
        lists[group, FIRST] = behind
    if behind >= 0:
        links[behind, BEFORE] = before
    else:
        lists[group, LAST] = before
    lists[group, SIZE] -= 1


@kernel(f"void({_READ}, {_READ}, int64[:, ::1], int64[:, ::1])")
def link_all(groups: Ints, slots: Ints, lists: Ints, links: Ints) -> None:
    """Put slots at the ends of their groups' lists."""
    for place in range(groups.shape[0]):
        link(lists, links, groups[place], slots[place])


@kernel(f"void({_READ}, {_SIGNS}, {_READ}, int64[:, ::1], int64[:, ::1], int64[::1])")
def match(codes: Ints, signs: Signs, fresh: Ints, lists: Ints, links: Ints, slots: Ints) -> None:
    """The slot of each tuple: of one that comes the next fresh one, of a negative tuple that of the oldest
    tuple with its code."""
    used = 0
    for place in range(codes.shape[0]):
        code = codes[place]
        if signs[place] > 0:
            slots[place] = fresh[used]
            used += 1
            link(lists, links, code, slots[place])
        else:
            slots[place] = lists[code, FIRST]
            unlink(lists, links, code, slots[place])


@kernel(
    f"int64({_READ}, {_SIGNS}, {_READ}, {_READ}, {_READ}, boolean,"
    " int64[:, ::1], int64[:, ::1], int64[::1], int64[:, ::1])"
)
def note_ends(
    rows: Ints,
    signs: Signs,
    moments: Ints,
    groups: Ints,
    slots: Ints,
    stay: bool,
    lists: Ints,
    links: Ints,
    gone: Ints,
    noted: Ints,
) -> int:
    """The first and the last slot of each moment's group after it. Where tuples `stay` for ever, a list
    keeps no more than these two; returns how many slots are `gone` from between."""
    goners = 0
    for event in range(rows.shape[0]):
        row, moment = rows[event], moments[event]
        group = groups[row]
        if signs[event] > 0:
            if stay and lists[group, SIZE] > 1:
                gone[goners] = lists[group, LAST]
                unlink(lists, links, group, gone[goners])
                goners += 1
            link(lists, links, group, slots[row])
        elif signs[event] < 0:
            unlink(lists, links, group, slots[row])
        if moment >= 0:
            noted[moment, 0], noted[moment, 1] = lists[group, FIRST], lists[group, LAST]
    return goners


@kernel(
    f"Tuple((int64, int64))({_READ}, {_SIGNS}, {_READ}, {_READ}, {_READ}, {_READ}, int64, int64,"
    " int64[:, ::1], int64[:, ::1], int64[::1], int64[::1])"
)
def note_members(
    rows: Ints,
    signs: Signs,
    moments: Ints,
    groups: Ints,
    slots: Ints,
    last_events: Ints,
    openings: int,
    event: int,
    lists: Ints,
    links: Ints,
    at: Ints,
    members: Ints,
) -> tuple[int, int]:
    """The slots of each moment's group after it, as pairs (`at` a moment, `members`), from an event on.

    Returns at which event it stopped because there was no more room, and how many pairs there are.
    """
    pairs = 0
    while event < rows.shape[0]:
        row, moment = rows[event], moments[event]
        group = groups[row]
        is_noted = moment >= openings and last_events[moment] == event
        if is_noted and pairs + lists[group, SIZE] + signs[event] > at.shape[0]:
            break
        if signs[event] > 0:
            link(lists, links, group, slots[row])
        else:
            unlink(lists, links, group, slots[row])
        if is_noted:
            slot = lists[group, FIRST]
            while slot >= 0:
                at[pairs], members[pairs] = moment, slot
                pairs += 1
                slot = links[slot, BEHIND]
        event += 1
    return event, pairs
