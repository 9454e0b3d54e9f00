"""A calendar queue: entries lie in days by the instant of their end; days are used again each year.

An entry's slot has its `number` and its end in `exp`, and `chain` leads to the next slot of its day, or of
those that are free. Slots in `heads` and `chain` are counted from 1; 0 is the end. The length of `heads`,
the days of a year, is a power of two. `book` has the columns below.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]

FREE, USED, COUNT, TODAY, WIDTH, PROBES = range(6)
"""Of a book: the first free slot; slots ever used; entries; the first day that entries may be in; a day's
length; entries and days that were looked at."""


@kernel(
    "void(Array(int64, 1, 'C', True), Array(int64, 1, 'C', True),"
    " int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])"
)
def enter(numbers: Ints, ends: Ints, heads: Ints, chain: Ints, number: Ints, exp: Ints, book: Ints) -> None:
    """Put entries into their days. There is room for them."""
    for place in range(numbers.shape[0]):
        if book[FREE] != 0:
            slot = book[FREE]
            book[FREE] = chain[slot - 1]
        else:
            book[USED] += 1
            slot = book[USED]
        day = ends[place] // book[WIDTH]
        book[TODAY] = min(book[TODAY], day)
        bucket = day & (heads.shape[0] - 1)
        number[slot - 1], exp[slot - 1] = numbers[place], ends[place]
        chain[slot - 1] = heads[bucket]
        heads[bucket] = slot
    book[COUNT] += numbers.shape[0]


@kernel(
    "Tuple((int64[::1], int64[::1]))(int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[::1])"
)
def expire(clock: int, heads: Ints, chain: Ints, number: Ints, exp: Ints, book: Ints) -> tuple[Ints, Ints]:
    """Take out what ends at the clock or before, in no order: numbers and ends."""
    today = clock // book[WIDTH]
    gone, count = 0, 0
    if today >= book[TODAY]:
        passed = np.uint64(today) - np.uint64(book[TODAY])  # as signed numbers it may be too large
        days = np.int64(min(passed, np.uint64(heads.shape[0] - 1))) + 1
        for step in range(days):
            bucket = (book[TODAY] + step) & (heads.shape[0] - 1)
            before, slot = 0, heads[bucket]
            book[PROBES] += 1
            while slot != 0:
                after = chain[slot - 1]
                book[PROBES] += 1
                if exp[slot - 1] <= clock:
                    if before == 0:
                        heads[bucket] = after
                    else:
                        chain[before - 1] = after
                    chain[slot - 1] = gone
                    gone = slot
                    count += 1
                else:
                    before = slot
                slot = after
        book[TODAY] = today
    numbers, ends = np.empty(count, np.int64), np.empty(count, np.int64)
    for place in range(count):
        numbers[place], ends[place] = number[gone - 1], exp[gone - 1]
        after = chain[gone - 1]
        chain[gone - 1] = book[FREE]
        book[FREE] = gone
        gone = after
    book[COUNT] -= count
    return numbers, ends
