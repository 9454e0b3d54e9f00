"""Fractions are the reference: they are rounded once."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np

from windrow.aggregates.fused import fused


def test_what_is_added_to_a_product_is_rounded_once() -> None:
    chance = Random(1)
    a, b, c = (
        np.array([chance.uniform(-4, 4) * 2.0 ** chance.choice([0, 0, 1, 40, -60]) for _ in range(4000)])
        for _ in "abc"
    )
    c[::3] = -a[::3] * b[::3]
    wanted = [float(Fraction(x) * Fraction(y) + Fraction(z)) for x, y, z in zip(a, b, c, strict=True)]
    assert fused(a, b, c).tolist() == wanted


def test_what_is_no_number_or_too_large_is_as_ever() -> None:
    a, b = np.array([np.inf, np.nan, 1e308, -np.inf]), np.array([0.5, 0.5, 0.5, 0.5])
    assert repr(fused(a, b, np.array([1.0, 1.0, 5e307, np.inf])).tolist()) == "[inf, nan, 1e+308, nan]"
