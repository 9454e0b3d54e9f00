"""a * b + c, rounded once: as processors compute it for DuckDB, where numpy rounds twice.

After S. Boldo and G. Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms using
rounding to odd.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_SPLIT = 2.0**27 + 1


def fused(a: Floats, b: Floats, c: Floats) -> Floats:
    """Where something on the way is too large, it is rounded twice after all."""
    with np.errstate(all="ignore"):
        product, rest = _product(a, b)
        low, lowest = _sum(c, rest)
        high, middle = _sum(product, low)
        exact = high + _to_odd(lowest, middle)
        return np.where(np.isfinite(exact), exact, a * b + c)


def _sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """A sum and what rounding took from it."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """A product and what rounding took from it."""
    total = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return total, a_low * b_low - (((total - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _halves(a: Floats) -> tuple[Floats, Floats]:
    high = _SPLIT * a - (_SPLIT * a - a)
    return high, a - high


def _to_odd(a: Floats, b: Floats) -> Floats:
    """A sum; where it is not exact, of the two numbers around it the one whose last bit is 1."""
    total, rest = _sum(a, b)
    is_even = total.view(np.int64) & 1 == 0
    return np.where(is_even & (rest != 0), np.nextafter(total, np.copysign(np.inf, rest)), total)
