"""MIN and MAX: of what can still win, the first.

A value is compared as a whole number of the same order, its *rank*; the least is the greatest of the ranks
turned round. Tuples that never end leave one number a group; tuples whose ends are foreseen leave those
that none outlives and outdoes; of what may be taken back at any time a heap holds each value once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates.arguments import is_plain
from windrow.aggregates.base import Aggregate, FromSums
from windrow.aggregates.calls import Call
from windrow.aggregates.distinct_values import DistinctValues, distinct_values
from windrow.aggregates.events import Events
from windrow.aggregates.ingredients import OfColumn
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import Ending, Part
from windrow.aggregates.sums import Sums, Which, cells_of
from windrow.aggregates.tuples import Column, Ints, bits, from_bits
from windrow.buffers.growing import grown
from windrow.buffers.parts import State
from windrow.delta import NEVER, Signs, room
from windrow.kernels import extremes as kernels
from windrow.kernels import heaps
from windrow.schema import Field, arrow_type

_NARROW_DIGITS = 18
_FIRST_STAIRS = 1024
_POSITIVE = np.int64(2**63 - 1)


def greatest(call: Call, field: Field, ledger: Ledger) -> Aggregate | None:
    """MAX."""
    return _extreme(call, field, ledger, turned=False)


def least(call: Call, field: Field, ledger: Ledger) -> Aggregate | None:
    """MIN."""
    return _extreme(call, field, ledger, turned=True)


def _extreme(call: Call, field: Field, ledger: Ledger, *, turned: bool) -> Aggregate | None:
    column = call.only_column()
    given = None if column is None else ledger.input.find(column)
    if given is None or not is_plain(call) or not _has_ranks(arrow_type(given.type)):
        return None
    rank = ledger.ingredient(Rank(given.name, call.filter_column(), turned=turned))
    part: GreatestSoFar | Stairs | Heaps
    if ledger.ending in (Ending.NEVER, Ending.PANES):
        part = ledger.part(GreatestSoFar, rank)
    elif ledger.ending is Ending.FORESEEN:
        part = ledger.part(Stairs, rank)
    else:
        values = distinct_values(given.name, call.filter_column(), ledger)
        part = ledger.part(Heaps, rank, values, turned)
    return FromSums(lambda: _from_ranks(part.noted, field.arrow.type, turned=turned))


def _has_ranks(type_: pa.DataType) -> bool:
    if pa.types.is_decimal(type_):
        return bool(type_.precision <= _NARROW_DIGITS)
    if pa.types.is_integer(type_):
        return not pa.types.is_uint64(type_)
    kinds = pa.types.is_boolean, pa.types.is_floating, pa.types.is_timestamp, pa.types.is_date32
    return any(kind(type_) for kind in (*kinds, pa.types.is_time64))


@dataclass(frozen=True)
class Rank(OfColumn):
    """Where a value stands among all values of its type."""

    turned: bool = False
    """From the greatest to the least."""

    @property
    def type(self) -> pa.DataType:
        return pa.int64()

    def _made(self, column: Column) -> Column:
        ranks = ranks_of(column, turned=self.turned)
        return pa.array(ranks, mask=np.asarray(column.is_null())) if column.null_count else pa.array(ranks)


def ranks_of(column: Column, *, turned: bool) -> Ints:
    """The rank of each value; anything where it is NULL."""
    type_ = column.type
    if pa.types.is_decimal(type_):
        ranks = bits(column, 2)[:, 0].copy()
    elif pa.types.is_floating(type_):
        words = bits(column.cast(pa.float64()), 1).reshape(-1)
        ranks = room(len(words), np.int64)
        kernels.rank_floats(words, turned, ranks)
        return ranks
    else:
        whole: Any = column.cast(pa.int32()) if pa.types.is_date32(type_) else column
        ranks = bits(whole.cast(pa.int64()), 1).reshape(-1)
    return ~ranks if turned else ranks


def _from_ranks(noted: Ints, type_: pa.DataType, *, turned: bool) -> pa.Array[Any]:
    ranks = ~noted[:, kernels.VALUE] if turned else noted[:, kernels.VALUE]
    there = noted[:, kernels.THERE] > 0
    if pa.types.is_decimal(type_):
        return from_bits(np.column_stack([ranks, ranks >> 63]), type_, there)
    if pa.types.is_floating(type_):
        floats: Any = pa.array(_by_sign(ranks).view(np.float64), mask=~there)
        return floats.cast(type_)  # type: ignore[no-any-return]
    whole: Any = pa.array(np.where(there, ranks, 0), mask=~there)
    return (whole.cast(pa.int32()) if pa.types.is_date32(type_) else whole).cast(type_)  # type: ignore[no-any-return]


def _by_sign(words: Ints) -> Ints:
    """The bits of floating numbers as whole numbers of the same order, and back."""
    ordered: Ints = words ^ ((words >> 63) & _POSITIVE)
    return ordered


class GreatestSoFar(Sums):
    """The greatest rank of tuples that never end; of groups of cells, the stairs of the cells'."""

    def __init__(self, rank: str) -> None:
        super().__init__(rank, 2)
        self._rank = rank
        self._stairs = Stairs(rank)

    def combine(self, events: Events) -> None:
        cells = cells_of(events, self._states)
        greatest = self._states.numbers[cells]
        signs = events.signs * (greatest[:, kernels.THERE] > 0)[events.rows]
        self._stairs.climb(events, signs, np.ascontiguousarray(greatest[:, kernels.VALUE]))
        self.noted = self._stairs.noted

    def _add(self, events: Events, which: Which, state: Ints) -> None:
        rows, signs, places, groups = which
        values = events.tuples.integers(self._rank)
        kernels.keep_greatest(rows, signs, places, groups, values, state, self.noted)


class Stairs(Part):
    """The ranks of tuples that none outlives and outdoes."""

    def __init__(self, rank: str) -> None:
        self._rank = rank
        self._ends = np.empty((0, 2), np.int64)
        self._links = np.empty((0, 2), np.int64)
        self._stairs = np.empty((0, 2), np.int64)
        self._free = np.array([kernels.NONE])
        self.noted = np.empty((0, 2), np.int64)
        """After `observe`, of each moment whether there is a greatest rank, and which."""

    def observe(self, events: Events) -> None:
        self.climb(events, events.counting(self._rank), events.tuples.integers(self._rank))

    def climb(self, events: Events, signs: Signs, values: Ints) -> None:
        """Take in tuples, with the signs that count and the rank of each."""
        self._ends = grown(self._ends, events.capacity, kernels.NONE)
        self.noted = self._at_openings(events)
        leaving = np.full(len(events.groups), NEVER) if events.ends is None else events.ends
        what = events.rows, signs, events.places, events.groups, events.instants
        event = 0
        while event < len(events.rows):
            self._have_free()
            stairs = self._ends, self._links, self._stairs, self._free
            event = kernels.keep_stairs(*what, values, leaving, *stairs, self.noted, event)

    def forget(self, groups: Ints) -> None:
        """Groups without tuples have no stairs left."""

    def _at_openings(self, events: Events) -> Ints:
        moments = events.moments
        noted = np.empty((len(moments), 2), np.int64)
        first = self._ends[moments.groups[: moments.openings], kernels.FIRST]
        there = first != kernels.NONE
        noted[: len(first), kernels.THERE] = there
        noted[: len(first), kernels.VALUE] = 0
        noted[: len(first)][there, kernels.VALUE] = self._stairs[first[there], 1]
        return noted

    def _have_free(self) -> None:
        """Have twice as many stairs, unless some are free."""
        known = len(self._links)
        if self._free[0] == kernels.NONE:
            more = max(known, _FIRST_STAIRS)
            self._links = grown(self._links, known + more, kernels.NONE)
            self._stairs = grown(self._stairs, known + more, 0)
            self._links[known:-1, kernels.BEHIND] = np.arange(known + 1, known + more)
            self._free[0] = known


class Heaps(Part):
    """Each rank of tuples that may be taken back."""

    is_rebuilt = False

    def __init__(self, rank: str, values: DistinctValues, turned: bool) -> None:
        self._rank, self._values, self._turned = rank, values, turned
        self._roots = np.empty(0, np.int64)
        self._nodes = np.empty((0, 3), np.int64)
        self._rank_of = np.empty(0, np.int64)
        self.noted = np.empty((0, 2), np.int64)

    def observe(self, events: Events) -> None:
        self._grow(events.capacity)
        codes, ranks = events.tuples.integers(self._values.code), events.tuples.integers(self._rank)
        signs = events.counting(self._values.signs)
        entering = events.rows[signs > 0]
        self._rank_of[codes[entering]] = ranks[entering]
        self.noted = self._at_openings(events)
        heaps.keep_heaps(
            *(events.rows, signs, events.places, events.groups, codes),
            *(self._roots, self._nodes, self._rank_of, self.noted),
        )

    def forget(self, groups: Ints) -> None:
        """Groups without tuples have nothing in their heaps."""

    def save(self, changed: Ints) -> State:
        return {"is_there": _IS_THERE}

    def restore(self, state: State) -> None:
        """The values are kept elsewhere, and were restored before."""
        codes, groups = self._values.live()
        self._grow(int(groups.max(initial=-1)) + 1)
        self._rank_of[codes] = ranks_of(self._values.values(codes), turned=self._turned)
        heaps.put_all_in(groups, codes, self._roots, self._nodes, self._rank_of)

    def _grow(self, capacity: int) -> None:
        self._roots = grown(self._roots, capacity, heaps.NONE)
        self._nodes = grown(self._nodes, self._values.keys.capacity, heaps.NONE)
        self._rank_of = grown(self._rank_of, self._values.keys.capacity, 0)

    def _at_openings(self, events: Events) -> Ints:
        moments = events.moments
        noted = np.empty((len(moments), 2), np.int64)
        top = self._roots[moments.groups[: moments.openings]]
        noted[: len(top), kernels.THERE] = top != heaps.NONE
        noted[: len(top), kernels.VALUE] = np.where(top != heaps.NONE, self._rank_of[top], 0)
        return noted


_IS_THERE = pa.table({"is_there": [True]})
