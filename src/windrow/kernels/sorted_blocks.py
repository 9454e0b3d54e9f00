"""The values of each group in order, as blocks of a few: values come and go, and the k-th is looked up,
with a walk over the blocks of the group and a shift within one.

`heads` has the first block of each group, and how many values the group has; `blocks` the block behind each
and how many values are in it. Free blocks are a list that begins at free[0]. -1 is none.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Signs = npt.NDArray[np.int8]

_READ = "Array(int64, 1, 'C', True)"
_SIGNS = "Array(int8, 1, 'C', True)"
_STATE = "int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[::1]"

NONE = -1
FIRST, SIZE = 0, 1
BEHIND, COUNT = 0, 1


@kernel(f"void(int64, int64, {_STATE})")
def put_in(group: int, value: int, heads: Ints, blocks: Ints, values: Ints, free: Ints) -> None:
    """Put a value in its place. One block is free at least."""
    block = heads[group, FIRST]
    if block == NONE:
        block = heads[group, FIRST] = free[0]
        free[0] = blocks[block, BEHIND]
        blocks[block, BEHIND], blocks[block, COUNT] = NONE, 0
    while blocks[block, BEHIND] != NONE and values[block, blocks[block, COUNT] - 1] < value:
        block = blocks[block, BEHIND]
    if blocks[block, COUNT] == values.shape[1]:
        half = values.shape[1] // 2
        other = free[0]
        free[0] = blocks[other, BEHIND]
        blocks[other, BEHIND], blocks[block, BEHIND] = blocks[block, BEHIND], other
        blocks[other, COUNT], blocks[block, COUNT] = values.shape[1] - half, half
        for place in range(half, values.shape[1]):
            values[other, place - half] = values[block, place]
        if values[block, half - 1] < value:
            block = other
    place = blocks[block, COUNT]
    while place > 0 and values[block, place - 1] > value:
        values[block, place] = values[block, place - 1]
        place -= 1
    values[block, place] = value
    blocks[block, COUNT] += 1
    heads[group, SIZE] += 1


@kernel(f"void(int64, int64, {_STATE})")
def take_out(group: int, value: int, heads: Ints, blocks: Ints, values: Ints, free: Ints) -> None:
    """Take out a value that is there."""
    before, block = NONE, heads[group, FIRST]
    while values[block, blocks[block, COUNT] - 1] < value:
        before, block = block, blocks[block, BEHIND]
    place = 0
    while values[block, place] < value:
        place += 1
    for behind in range(place + 1, blocks[block, COUNT]):
        values[block, behind - 1] = values[block, behind]
    blocks[block, COUNT] -= 1
    heads[group, SIZE] -= 1
    if blocks[block, COUNT] == 0:
        if before == NONE:
            heads[group, FIRST] = blocks[block, BEHIND]
        else:
            blocks[before, BEHIND] = blocks[block, BEHIND]
        blocks[block, BEHIND] = free[0]
        free[0] = block


@kernel("int64(int64, int64, int64[:, ::1], int64[:, ::1], int64[:, ::1])")
def at(group: int, place: int, heads: Ints, blocks: Ints, values: Ints) -> int:
    """The value at a place in a group's order."""
    block = heads[group, FIRST]
    while place >= blocks[block, COUNT]:
        place -= blocks[block, COUNT]
        block = blocks[block, BEHIND]
    return int(values[block, place])


_ASKED = "Array(float64, 1, 'C', True), Array(int64, 2, 'C', True)"


@kernel(f"void(int64, int64, {_ASKED}, int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[:, ::1])")
def note(
    group: int,
    moment: int,
    shares: Floats,
    parts: Ints,
    heads: Ints,
    blocks: Ints,
    values: Ints,
    noted: Ints,
) -> None:
    """How many values a group has and, for each share asked, those around so large a share of them; or,
    where `parts` has (part, whole), the one that so large a part of them is not greater than."""
    size = heads[group, SIZE]
    noted[moment, 0] = size
    if size == 0:
        return
    for asked in range(shares.shape[0]):
        part, whole = parts[asked]
        if whole != 0:
            low = high = max(1, size - (size * (whole - part)) // whole) - 1
        else:
            low = int(np.floor((size - 1) * shares[asked]))
            high = int(np.ceil((size - 1) * shares[asked]))
        one = at(group, low, heads, blocks, values)
        noted[moment, 1 + 2 * asked] = one
        noted[moment, 2 + 2 * asked] = one if high == low else at(group, high, heads, blocks, values)


@kernel(
    f"int64({_READ}, {_SIGNS}, {_READ}, {_READ}, {_READ}, {_READ}, {_ASKED}, {_STATE},"
    " int64[:, ::1], int64)"
)
def keep(
    rows: Ints,
    signs: Signs,
    moments: Ints,
    groups: Ints,
    ranks: Ints,
    last_events: Ints,
    shares: Floats,
    parts: Ints,
    heads: Ints,
    blocks: Ints,
    values: Ints,
    free: Ints,
    noted: Ints,
    event: int,
) -> int:
    """The values of each group as tuples come and go, noted at the last event of each moment; from an event
    on. Returns at which event it stopped because no block was free."""
    while event < rows.shape[0]:
        row, moment = rows[event], moments[event]
        group = groups[row]
        if signs[event] > 0:
            if free[0] == NONE:
                break
            put_in(group, ranks[row], heads, blocks, values, free)
        elif signs[event] < 0:
            take_out(group, ranks[row], heads, blocks, values, free)
        if moment >= 0 and last_events[moment] == event:
            note(group, moment, shares, parts, heads, blocks, values, noted)
        event += 1
    return event


@kernel(f"void({_READ}, {_ASKED}, int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[:, ::1])")
def note_all(
    groups: Ints, shares: Floats, parts: Ints, heads: Ints, blocks: Ints, values: Ints, noted: Ints
) -> None:
    """What groups have now, at moments numbered from 0."""
    for moment in range(groups.shape[0]):
        note(groups[moment], moment, shares, parts, heads, blocks, values, noted)
