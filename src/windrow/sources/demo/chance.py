"""Chance by number: what is drawn for tuple n can be drawn again at any time, alone.

Draws come from a counter-based generator (Philox), keyed by the seed and by what is drawn, and
distributions are tables looked up by 16 random bits, rounded so that no library's last digit shows:
the same seed gives the same tuples everywhere.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.sources.generated import Floats, Integers

Draws = npt.NDArray[np.uint64]
Bits = npt.NDArray[np.uint16]

GRAINS = 65_536
"""The values that 16 bits have: how fine a distribution's table is."""

_TOGETHER = 4
"""The numbers that Philox makes at each count."""


def draws(seed: int, what: int, first: int, count: int) -> Draws:
    """64 random bits for each of the things numbered from `first` on."""
    ahead = first % _TOGETHER
    philox = np.random.Philox(counter=[first // _TOGETHER, 0, 0, 0], key=[seed, what])
    return philox.random_raw(count + ahead)[ahead:]


def quarters(drawn: Draws) -> tuple[Bits, Bits, Bits, Bits]:
    """Draws cut into four independent pieces of 16 bits."""
    pieces = drawn.view(np.uint16).reshape(-1, 4)
    return pieces[:, 0], pieces[:, 1], pieces[:, 2], pieces[:, 3]


def fractions(bits: Bits) -> Floats:
    """Bits as numbers from 0 up to, not including, 1."""
    return bits.astype(np.float64) / GRAINS


def shares(weights: Sequence[float]) -> Integers:
    """A table of GRAINS entries in which each index has its weight's share, and at least one."""
    parts = np.asarray(weights, dtype=np.float64)
    grains = np.maximum(np.rint(parts / parts.sum() * GRAINS).astype(np.int64), 1)
    grains[0] += GRAINS - grains.sum()
    return np.repeat(np.arange(len(parts)), grains)


@functools.cache
def zipf(count: int) -> Integers:
    """Rank k of `count` with a weight of 1/k, by 16 bits."""
    return shares([1 / rank for rank in range(1, count + 1)])


@functools.cache
def lognormal(median: float, spread: float) -> Floats:
    """Values around a median, a few of them far above it, by 16 bits."""
    return np.round(median * np.exp(spread * _normal()), 6)


@functools.cache
def _normal() -> Floats:
    half = [NormalDist().inv_cdf((grain + 0.5) / GRAINS) for grain in range(GRAINS // 2)]
    lower = np.array(half)
    return np.concatenate([lower, -lower[::-1]])


def label(names: pa.StringArray, codes: npt.NDArray[np.integer]) -> pa.StringArray:
    """The names that codes stand for."""
    return names.take(pa.array(codes))


@functools.cache
def numbered(prefix: str, count: int, digits: int) -> pa.StringArray:
    """Names such as s000000042, for codes from 0 on."""
    return pa.array([f"{prefix}{number:0{digits}d}" for number in range(count)])


def scattered(count: int, multiplier: int) -> list[int]:
    """The numbers below `count` in a fixed disorder, so that rank does not show in a name."""
    assert math.gcd(count, multiplier) == 1
    return [number * multiplier % count for number in range(count)]
