"""A warehouse with RFID readers at packing lines and at doors.

Gaps in seconds carry the meaning here: what goes into one case is read less than two seconds
apart and other cases more than two; who takes items out with authority passes within five
seconds of them. So a higher rate means more lines and doors, not shorter gaps. Lines and doors
work in shifts of READS tuples each, and a block is one shift of all of them in time order.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from windrow.errors import SourceError
from windrow.schema import Schema
from windrow.sources.demo.chance import GRAINS, Bits, draws, label, numbered, quarters
from windrow.sources.generated import Block, Columns, Generator, Integers
from windrow.sources.generator_options import GeneratorOptions

READS = 64
"""Tuples of one place in a shift."""
MOST_PLACES = 4096


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How groups of readings follow one another at a place. Times are in microseconds."""

    what: int
    rate: float
    """Tuples a second at one place, at most."""
    smallest: int
    """Groups have from this many readings…"""
    pair: int
    """… and two following groups together this many."""
    shortest: int
    longest: int
    """The gaps within a group."""
    rest: int
    """The gap between groups, at least."""

    @property
    def groups(self) -> int:
        return READS // self.pair * 2


PACKING = Rhythm(what=1, rate=1.0, smallest=4, pair=16, shortest=100_000, longest=500_000, rest=2_500_000)
PASSING = Rhythm(what=2, rate=0.25, smallest=2, pair=8, shortest=100_000, longest=700_000, rest=6_000_000)

STAFF = 40
_THEFTS = GRAINS // 25


@dataclass(frozen=True, slots=True)
class Shift:
    """One shift of all places: rows are places, columns their readings in time order."""

    times: Integers
    """Microseconds after the shift began."""
    group: Integers
    """Which group of the place's shift a reading is of."""
    last: npt.NDArray[np.bool_]
    """Whether it is its group's last."""
    chance: Bits
    """For each place and group."""


class Site:
    """The places of one kind that a rate asks for, and what happens there in each shift."""

    def __init__(self, options: GeneratorOptions, rhythm: Rhythm, kind: str) -> None:
        self.places = int(np.ceil(options.rate / rhythm.rate))
        if self.places > MOST_PLACES:
            most = int(MOST_PLACES * rhythm.rate)
            raise SourceError(
                f"demo://rfid: {options.rate:g} tuples a second would need more than {MOST_PLACES} {kind}",
                hint=f"rate is at most {most}; speed=10 or speed=max gives more in less time",
            )
        self.rows = self.places * READS
        self.length = round(self.rows / options.rate * 1e6)
        self._seed = options.seed
        self._rhythm = rhythm

    def shift(self, number: int) -> Shift:
        rhythm = self._rhythm
        gap, *_ = quarters(draws(self._seed, rhythm.what, number * self.rows, self.rows))
        groups = self.places * rhythm.groups
        sizing, resting, chance, _ = quarters(draws(self._seed, rhythm.what + 2, number * groups, groups))
        last = self._last(sizing.reshape(self.places, rhythm.groups))
        first = np.roll(last, 1, axis=1)
        span = rhythm.longest - rhythm.shortest
        gaps = rhythm.shortest + (gap.reshape(self.places, READS).astype(np.int64) * span >> 16)
        gaps[first] = rhythm.rest
        spare = self.length - gaps.sum(axis=1, keepdims=True)
        parts = resting.reshape(self.places, rhythm.groups).astype(np.int64) + GRAINS // 10
        gaps[first] += (spare * parts // (parts.sum(axis=1, keepdims=True) + GRAINS // 2)).ravel()
        gaps[:, 0] -= rhythm.rest  # it comes after the shift, so that the first begins soon
        group = np.cumsum(first, axis=1) - 1
        return Shift(np.cumsum(gaps, axis=1), group, last, chance.reshape(self.places, rhythm.groups))

    def _last(self, sizing: Bits) -> npt.NDArray[np.bool_]:
        """Where groups end: of each two groups, the first has a size by chance."""
        rhythm = self._rhythm
        choices = rhythm.pair - 2 * rhythm.smallest + 1
        size = rhythm.smallest + sizing[:, ::2] % choices
        last = np.zeros((self.places, READS), dtype=np.bool_)
        last[:, rhythm.pair - 1 :: rhythm.pair] = True
        starts = np.arange(0, READS, rhythm.pair)
        np.put_along_axis(last, starts + size.astype(np.int64) - 1, True, axis=1)
        return last

    def in_order(self, number: int, times: Integers) -> tuple[Integers, Integers]:
        """The shift's readings in time order: their times, and where they stand in the shift."""
        flat = number * self.length + times.ravel()
        order = np.argsort(flat, kind="stable")
        return flat[order], order


class _Readings(Generator):
    """Tag readings at the places of one kind."""

    times: ClassVar[frozenset[str]] = frozenset({"tagtime"})
    rhythm: ClassVar[Rhythm]
    place: ClassVar[str]
    kind: ClassVar[str]
    types: ClassVar[tuple[str, ...]]
    """Tag types, by code."""
    person: ClassVar[int]
    """The code of tags that people carry."""

    def __init__(self, options: GeneratorOptions) -> None:
        self._site = Site(options, self.rhythm, self.kind)
        self.rows = self._site.rows

    def block(self, number: int) -> Block:
        shift = self._site.shift(number)
        times, order = self._site.in_order(number, shift.times)
        codes = self.codes(shift).ravel()[order]
        columns: Columns = {
            "tagid": lambda: self._tags(number, order, codes),
            "tagtype": lambda: label(pa.array(self.types), codes),
            self.place: lambda: label(numbered(f"{self.place}-", self._site.places, 4), order // READS),
        }
        return Block(times, columns)

    @abstractmethod
    def codes(self, shift: Shift) -> Integers:
        """The type of each tag of a shift, as a code."""

    def _tags(self, number: int, order: Integers, codes: Integers) -> pa.StringArray:
        """A number of its own for each thing; people are few and come again."""
        numbers = number * self.rows + order
        numbers = np.where(codes == self.person, numbers * 7 // READS % STAFF, numbers)
        marks = label(pa.array(self.types), codes)
        digits = pa.array(numbers).cast(pa.string())
        joined: pa.StringArray = pc.call_function(
            "binary_join_element_wise", [marks, digits, pa.scalar("-")]
        )
        return joined


class Packing(_Readings):
    """Items read one after the other, then the case that they were packed into."""

    columns: ClassVar[Schema] = Schema.of(
        ("tagid", "VARCHAR"), ("tagtype", "VARCHAR"), ("tagtime", "TIMESTAMP"), ("line", "VARCHAR")
    )
    rhythm = PACKING
    place = "line"
    kind = "packing lines"
    types = ("item", "case")
    person = -1

    def codes(self, shift: Shift) -> Integers:
        return shift.last.astype(np.int64)


class Doors(_Readings):
    """Items that pass a door, with authorized personnel ('ap') near them, or, at times, without."""

    columns: ClassVar[Schema] = Schema.of(
        ("tagid", "VARCHAR"), ("tagtype", "VARCHAR"), ("tagtime", "TIMESTAMP"), ("door", "VARCHAR")
    )
    rhythm = PASSING
    place = "door"
    kind = "doors"
    types = ("item", "ap")
    person = 1

    def codes(self, shift: Shift) -> Integers:
        """Of each group: a theft has items only; else the person goes first or last."""
        chance = np.take_along_axis(shift.chance, shift.group, axis=1)
        first = np.roll(shift.last, 1, axis=1)
        leads = chance % 2 == 0
        person = np.where(leads, first, shift.last) & (chance >= _THEFTS)
        return person.astype(np.int64)
