"""A multiset of rows that come and go by value, and what it was at instants.

Equal rows have equal codes; each code has a list of the slots of its rows, oldest first. Slots count from
1, and 0 is the end of a list. `book` has the columns below, `lists` a row for each code.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]

FREE, USED = range(2)
"""Of a book: the first free slot; slots ever used."""
OLDEST, NEWEST = range(2)
"""Of a code: its first and its last slot."""


@kernel(
    "int64[::1](Array(int64, 1, 'C', True), Array(int8, 1, 'C', True), int64,"
    " int64[:, ::1], int64[::1], int64[::1], int64[::1])"
)
def change(
    codes: Ints, sign: Signs, first: int, lists: Ints, chain: Ints, number: Ints, book: Ints
) -> Ints:
    """The numbers of the rows that come, from `first` on, and of those that go: of equal ones the oldest;
    -1 where none is there."""
    numbers = np.empty(codes.shape[0], np.int64)
    for place in range(codes.shape[0]):
        ends = lists[codes[place]]
        slot = ends[OLDEST]
        if sign[place] > 0:
            if book[FREE] != 0:
                slot = book[FREE]
                book[FREE] = chain[slot - 1]
            else:
                book[USED] += 1
                slot = book[USED]
            numbers[place] = number[slot - 1] = first
            first += 1
            chain[slot - 1] = 0
            if ends[OLDEST] == 0:
                ends[OLDEST] = slot
            else:
                chain[ends[NEWEST] - 1] = slot
            ends[NEWEST] = slot
        elif slot != 0:
            numbers[place] = number[slot - 1]
            ends[OLDEST] = chain[slot - 1]
            chain[slot - 1] = book[FREE]
            book[FREE] = slot
        else:
            numbers[place] = -1
    return numbers


@kernel(
    "Tuple((int64[::1], int64[::1]))(Array(int64, 1, 'C', True), Array(int64, 1, 'C', True),"
    " Array(int64, 1, 'C', True), int64)"
)
def snapshots(numbers: Ints, enters: Ints, leaves: Ints, count: int) -> tuple[Ints, Ints]:
    """The rows that are there at each of so many instants, in their order, and how many these are. A row
    is there from the instant at which it enters up to but without the one at which it leaves."""
    sizes = np.zeros(count, np.int64)
    for place in range(numbers.shape[0]):
        sizes[enters[place] : leaves[place]] += 1
    starts = np.cumsum(sizes) - sizes
    told = np.empty(sizes.sum(), np.int64)
    for place in range(numbers.shape[0]):
        for instant in range(enters[place], leaves[place]):
            told[starts[instant]] = numbers[place]
            starts[instant] += 1
    return told, sizes
