"""Sums that are exact, whatever comes and goes: numbers in digits of 32 bits, lowest first.

A digit lies in 64 bits and is not carried over while numbers are added, so it can be negative or have
more than 32 bits; it holds the sum of 2**31 numbers. A group's state is a row of digits. What adds also
notes, for each moment, the group's digits after it.

Of floating numbers, the first digit stands for some power of two. NaN and the infinities are no numbers
of digits, so they are counted by themselves.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from windrow.kernels.registry import kernel

Ints = npt.NDArray[np.int64]
Signs = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]

BITS = 32
"""Of a digit."""
UNIT = -1074
"""The least floating number is two to this."""
SPECIAL = 3
"""NaN, infinity and minus infinity."""
SPAN = 3
"""Digits that a floating number can touch."""
PRODUCT_SPAN = 5
"""Digits that the product of two can touch."""

_MASK = 0xFFFFFFFF
_DIGIT = 5
"""A digit has two to the power of this many bits."""
_LEAST_POWER = -1022
_POWERS = np.ldexp(1.0, np.arange(_LEAST_POWER, 970))
"""Powers of two, by which a number of 53 bits is multiplied exactly; ldexp takes its time."""
_FRACTION = (1 << 52) - 1
_NO_NUMBER = 0x7FF

_READ = "Array(int64, 1, 'C', True)"
_READ2 = "Array(int64, 2, 'C', True)"
_EVENTS = f"{_READ}, Array(int8, 1, 'C', True), {_READ}, {_READ}"
_NOTED = "int64[:, ::1], int64[:, ::1]"


@kernel(f"void({_EVENTS}, {_NOTED})")
def add_ones(rows: Ints, signs: Signs, moments: Ints, groups: Ints, state: Ints, noted: Ints) -> None:
    for event in range(rows.shape[0]):
        group, moment = groups[rows[event]], moments[event]
        state[group, 0] += signs[event]
        if moment >= 0:
            noted[moment, 0] = state[group, 0]


@kernel(f"void({_EVENTS}, {_READ}, {_NOTED})")
def add_integers(
    rows: Ints, signs: Signs, moments: Ints, groups: Ints, values: Ints, state: Ints, noted: Ints
) -> None:
    """Two digits are enough for whole numbers of 64 bits."""
    for event in range(rows.shape[0]):
        row, sign, moment = rows[event], signs[event], moments[event]
        group, value = groups[row], values[row]
        state[group, 0] += sign * (value & _MASK)
        state[group, 1] += sign * (value >> BITS)
        if moment >= 0:
            noted[moment, 0] = state[group, 0]
            noted[moment, 1] = state[group, 1]


@kernel(f"void({_EVENTS}, {_READ2}, {_NOTED})")
def add_wide_integers(
    rows: Ints, signs: Signs, moments: Ints, groups: Ints, values: Ints, state: Ints, noted: Ints
) -> None:
    """Whole numbers of 128 bits, the lower half first, in four digits."""
    for event in range(rows.shape[0]):
        row, sign, moment = rows[event], signs[event], moments[event]
        group, low, high = groups[row], values[row, 0], values[row, 1]
        state[group, 0] += sign * (low & _MASK)
        state[group, 1] += sign * ((low >> BITS) & _MASK)
        state[group, 2] += sign * (high & _MASK)
        state[group, 3] += sign * (high >> BITS)
        if moment >= 0:
            for digit in range(4):
                noted[moment, digit] = state[group, digit]


@kernel("int64(int64)")
def exponent(bits: int) -> int:
    """Of a floating number, counted from that of the least one."""
    biased = (bits >> 52) & _NO_NUMBER
    return biased - 1 if biased > 0 else 0


@kernel("int64(int64)")
def mantissa(bits: int) -> int:
    """Of a floating number, as a whole number without sign."""
    fraction = bits & _FRACTION
    return fraction | (_FRACTION + 1) if (bits >> 52) & _NO_NUMBER else fraction


@kernel("int64(int64)")
def special(bits: int) -> int:
    """0 for NaN, 1 for infinity, 2 for minus infinity, -1 for numbers."""
    if (bits >> 52) & _NO_NUMBER != _NO_NUMBER:
        return -1
    if bits & _FRACTION:
        return 0
    return 1 if bits >= 0 else 2


@kernel(f"Tuple((int64, int64, boolean))({_READ}, {_READ})")
def exponent_range(left: Ints, right: Ints) -> tuple[int, int, bool]:
    """The least and the greatest exponent of products of floating numbers that are not 0, the first above
    the second where there is none; and whether anything is special. One number on the right will do."""
    least, greatest, specials = 2 * _NO_NUMBER, -1, False
    for row in range(left.shape[0]):
        other = right[row] if right.shape[0] > 1 else right[0]
        if special(left[row]) >= 0 or special(other) >= 0:
            specials = True
        elif mantissa(left[row]) and mantissa(other):
            both = exponent(left[row]) + exponent(other)
            least, greatest = min(least, both), max(greatest, both)
    return least, greatest, specials


@kernel(f"void({_EVENTS}, {_READ}, {_NOTED})")
def count_specials(
    rows: Ints, signs: Signs, moments: Ints, groups: Ints, values: Ints, state: Ints, noted: Ints
) -> None:
    """Count NaN, infinity and minus infinity among floating numbers, each in a place of its own."""
    for event in range(rows.shape[0]):
        row, moment = rows[event], moments[event]
        group, kind = groups[row], special(values[row])
        if kind >= 0:
            state[group, kind] += signs[event]
        if moment >= 0:
            for place in range(SPECIAL):
                noted[moment, place] = state[group, place]


@kernel(f"void({_EVENTS}, {_READ}, int64, {_NOTED})")
def add_floats(
    rows: Ints,
    signs: Signs,
    moments: Ints,
    groups: Ints,
    values: Ints,
    lowest: int,
    state: Ints,
    noted: Ints,
) -> None:
    """`values` are the bits of floating numbers; the first digit stands for 2**(UNIT + 32 * lowest)."""
    width = state.shape[1]
    for event in range(rows.shape[0]):
        row, moment = rows[event], moments[event]
        bits, sums, sign = values[row], state[groups[row]], np.int64(signs[event])
        number = mantissa(bits)
        if sign != 0 and number and special(bits) < 0:
            sign = -sign if bits < 0 else sign
            place = exponent(bits)
            digit, shift = (place >> _DIGIT) - lowest, place & (BITS - 1)
            low = number << shift  # 64 bits of it; the rest is `high`
            high = number >> (52 - shift) >> 12
            sums[digit] += sign * (low & _MASK)
            sums[digit + 1] += sign * ((low >> BITS) & _MASK)
            sums[digit + 2] += sign * high
        if moment >= 0:
            for place in range(width):
                noted[moment, place] = sums[place]


@kernel(f"void({_EVENTS}, {_READ}, {_READ}, int64, {_NOTED})")
def add_products(
    rows: Ints,
    signs: Signs,
    moments: Ints,
    groups: Ints,
    left: Ints,
    right: Ints,
    lowest: int,
    state: Ints,
    noted: Ints,
) -> None:
    """Products of floating numbers, unrounded. The first digit stands for 2**(2 * UNIT + 32 * lowest)."""
    for event in range(rows.shape[0]):
        row, moment = rows[event], moments[event]
        group, one, other = groups[row], left[row], right[row]
        if special(one) < 0 and special(other) < 0 and mantissa(one) and mantissa(other):
            sign = -signs[event] if (one ^ other) < 0 else signs[event]
            place = exponent(one) + exponent(other)
            digit, shift = place // BITS - lowest, place % BITS
            add_product(mantissa(one), mantissa(other), int(sign), shift, state[group], digit)
        if moment >= 0:
            for place in range(state.shape[1]):
                noted[moment, place] = state[group, place]


@kernel("void(int64, int64, int64, int64, int64[::1], int64)")
def add_product(one: int, other: int, sign: int, shift: int, state: Ints, digit: int) -> None:
    """Two mantissas of 53 bits, in parts of 32 and 21."""
    low, high = one & _MASK, one >> BITS
    other_low, other_high = other & _MASK, other >> BITS
    first = np.uint64(low) * np.uint64(other_low)
    middle = np.uint64(low) * np.uint64(other_high) + np.uint64(high) * np.uint64(other_low)
    last = np.uint64(high) * np.uint64(other_high)
    add_shifted(first, sign, shift, state, digit)
    add_shifted(middle, sign, shift, state, digit + 1)
    add_shifted(last, sign, shift, state, digit + 2)


@kernel("void(uint64, int64, int64, int64[::1], int64)")
def add_shifted(value: Any, sign: int, shift: int, state: Ints, digit: int) -> None:
    mask = np.uint64(_MASK)
    low = value << np.uint64(shift)
    high = value >> np.uint64(63 - shift) >> np.uint64(1)
    state[digit] += sign * np.int64(low & mask)
    state[digit + 1] += sign * np.int64(low >> np.uint64(BITS))
    state[digit + 2] += sign * np.int64(high)


@kernel("int64(int64[::1])")
def carry(digits: Ints) -> int:
    """Bring every digit into 0 to 2**32 - 1, and the number to its absolute value; its sign."""
    over = np.int64(0)
    for place in range(digits.shape[0]):
        total = digits[place] + over
        digits[place] = total & _MASK
        over = total >> BITS
    if over >= 0:
        return 1
    over = np.int64(1)
    for place in range(digits.shape[0]):
        total = (digits[place] ^ _MASK) + over
        digits[place] = total & _MASK
        over = total >> BITS
    return -1


@kernel("int64(int64)")
def bit_length(digit: int) -> int:
    """Of a number from 1 to 2**32 - 1, as the exponent of the floating number that it is."""
    return math.frexp(np.float64(digit))[1]


@kernel("float64(int64[::1], int64, int64)")
def rounded(digits: Ints, sign: int, unit: int) -> float:
    """The nearest floating number, ties to even, of digits that are carried over, times 2**unit."""
    top = digits.shape[0] - 1
    while top >= 0 and digits[top] == 0:
        top -= 1
    if top < 0:
        return 0.0
    zeros = BITS - bit_length(digits[top])
    second = digits[top - 1] if top > 0 else np.int64(0)
    third = digits[top - 2] if top > 1 else np.int64(0)
    # 64 bits from the highest one on, and whether anything lies below them.
    head = (((digits[top] << BITS) | second) << zeros) | (third >> (BITS - zeros))
    below = (third << zeros) & _MASK != 0
    for place in range(top - 2):
        below |= digits[place] != 0
    kept = (head >> 11) & ((1 << 53) - 1)
    rest = head & 0x7FF
    if rest > 0x400 or (rest == 0x400 and (below or kept & 1)):
        kept += 1
    power = BITS * (top - 1) - zeros + 11 + unit
    if 0 <= power - _LEAST_POWER < _POWERS.shape[0]:
        return float(sign * kept * _POWERS[power - _LEAST_POWER])
    return sign * math.ldexp(np.float64(kept), power)


@kernel(f"void({_READ2}, int64, float64[::1])")
def to_floats(noted: Ints, unit: int, found: Floats) -> None:
    """Each row's digits as a floating number, rounded once; the first digit stands for 2**unit."""
    width = noted.shape[1]
    digits = np.empty(width + 2, np.int64)
    for row in range(noted.shape[0]):
        for place in range(width):
            digits[place] = noted[row, place]
        digits[width] = digits[width + 1] = 0
        sign = carry(digits)
        found[row] = rounded(digits, sign, unit)


@kernel(f"int64[:, ::1]({_READ2})")
def to_wide_integers(noted: Ints) -> Ints:
    """Each row's digits, four at most, as a whole number of 128 bits, the lower half first."""
    found = np.empty((noted.shape[0], 2), np.int64)
    for row in range(noted.shape[0]):
        first = noted[row, 0]
        second = noted[row, 1] + (first >> BITS)
        third = second >> BITS
        if noted.shape[1] > 2:
            third += noted[row, 2]
        fourth = third >> BITS
        if noted.shape[1] > 3:
            fourth += noted[row, 3]
        found[row, 0] = (first & _MASK) | (second << BITS)
        found[row, 1] = (third & _MASK) | (fourth << BITS)
    return found


@kernel(f"float64[::1]({_READ}, {_READ2}, int64, {_READ2}, int64, {_READ2}, int64)")
def to_co_moments(
    counts: Ints, products: Ints, lowest: int, left: Ints, left_lowest: int, right: Ints, right_lowest: int
) -> Floats:
    """For each row count * sum of products - sum of the left * sum of the right, rounded once.

    Exact until then, so nothing cancels that should not.
    """
    found = np.empty(counts.shape[0], np.float64)
    left_width, right_width = left.shape[1], right.shape[1]
    base = min(lowest, left_lowest + right_lowest)
    up, down = lowest - base, left_lowest + right_lowest - base
    width = max(up + products.shape[1], down + left_width + right_width) + 8
    total = np.empty(width, np.int64)
    factor, other = np.empty(left_width + 2, np.int64), np.empty(right_width + 2, np.int64)
    squared = np.empty(products.shape[1] + 2, np.int64)
    for row in range(counts.shape[0]):
        total[:] = 0
        squared[:] = 0
        squared[: products.shape[1]] = products[row]
        sign = carry(squared)
        for place in range(squared.shape[0]):
            add_shifted(np.uint64(squared[place]) * np.uint64(counts[row]), sign, 0, total, up + place)
        factor[:] = 0
        factor[:left_width] = left[row]
        other[:] = 0
        other[:right_width] = right[row]
        sign = -carry(factor) * carry(other)
        for one in range(factor.shape[0]):
            for two in range(other.shape[0]):
                product = np.uint64(factor[one]) * np.uint64(other[two])
                add_shifted(product, sign, 0, total, down + one + two)
        sign = carry(total)
        found[row] = rounded(total, sign, 2 * UNIT + BITS * base)
    return found
