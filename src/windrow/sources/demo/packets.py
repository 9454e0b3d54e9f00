"""Connections over a wide-area link, as a gateway logs them.

Sources and destinations are skewed as Zipf found words to be (the k-th most frequent has a
share of 1/k); protocols have the proportions of the 1990s, telnet ten times as frequent as ftp.
A link is a quarter of the destinations, with a trace of its own; all links share the sources.
"""

from __future__ import annotations

import functools
from typing import ClassVar

import numpy as np
import pyarrow as pa

from windrow.schema import Schema
from windrow.sources.demo.chance import (
    draws,
    fractions,
    label,
    lognormal,
    quarters,
    scattered,
    shares,
    zipf,
)
from windrow.sources.generated import Block, Columns, Floats, Generator, Integers, Timeline
from windrow.sources.generator_options import GeneratorOptions

SOURCES = 1650
DESTINATIONS = 1000
"""On each link."""
LINKS = 4

_MIX = {
    # name: (share, median seconds, median bytes)
    "http": (300, 0.8, 4_000),
    "dns": (250, 0.05, 120),
    "smtp": (170, 1.5, 1_500),
    "telnet": (120, 60.0, 900),
    "nntp": (90, 12.0, 20_000),
    "finger": (38, 0.6, 200),
    "pop3": (20, 2.0, 3_000),
    "ftp": (12, 20.0, 60_000),
}
_SPREAD = 1.2
_ADDRESSING, _MEASURES = 1, 2


class Packets(Generator):
    """The connections of one link, or of all of them (link 0)."""

    columns: ClassVar[Schema] = Schema.of(
        ("ts", "TIMESTAMP"),
        ("duration", "DOUBLE"),
        ("protocol", "VARCHAR"),
        ("src", "VARCHAR"),
        ("dst", "VARCHAR"),
        ("bytes", "BIGINT"),
    )
    times: ClassVar[frozenset[str]] = frozenset({"ts"})

    def __init__(self, options: GeneratorOptions, link: int = 0) -> None:
        self._seed = options.seed
        self._timeline = Timeline(options.rate, options.burst)
        self._link = link

    def block(self, number: int) -> Block:
        first = number * self.rows
        src, dst, protocol, which = quarters(self._draws(_ADDRESSING, first))
        moment, duration, size, _ = quarters(self._draws(_MEASURES, first))
        places = np.arange(first, first + self.rows) + fractions(moment)
        kinds = _protocols()[protocol]
        links = which % LINKS if self._link == 0 else self._link - 1
        columns: Columns = {
            "duration": lambda: pa.array(_durations()[kinds] * lognormal(1.0, _SPREAD)[duration]),
            "protocol": lambda: label(pa.array(list(_MIX)), kinds),
            "src": lambda: label(_sources(), zipf(SOURCES)[src]),
            "dst": lambda: label(_destinations(), zipf(DESTINATIONS)[dst] * LINKS + links),
            "bytes": lambda: pa.array(
                1 + (_sizes()[kinds] * lognormal(1.0, _SPREAD)[size]).astype(np.int64)
            ),
        }
        return Block(self._timeline.micros(places), columns)

    def _draws(self, what: int, first: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
        return draws(self._seed, what * (LINKS + 1) + self._link, first, self.rows)


@functools.cache
def _protocols() -> Integers:
    return shares([share for share, _, _ in _MIX.values()])


@functools.cache
def _durations() -> Floats:
    return np.array([seconds for _, seconds, _ in _MIX.values()])


@functools.cache
def _sizes() -> Floats:
    return np.array([float(size) for _, _, size in _MIX.values()])


@functools.cache
def _sources() -> pa.StringArray:
    return pa.array([f"10.{n // 250}.{n % 7}.{n % 250 + 1}" for n in scattered(SOURCES, 1013)])


@functools.cache
def _destinations() -> pa.StringArray:
    """By rank and link: the second number of an address is the link."""
    order = scattered(DESTINATIONS, 619)
    return pa.array([f"192.{link}.{n // 250}.{n % 250 + 1}" for n in order for link in range(1, LINKS + 1)])
