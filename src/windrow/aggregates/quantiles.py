"""MEDIAN and QUANTILE of numbers whose ends are foreseen: the values of each group are kept in order, so
that a change costs little, however many there are. Calls that ask of the same numbers share them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from windrow.aggregates.arguments import is_plain
from windrow.aggregates.base import Aggregate, FromSums
from windrow.aggregates.calls import Call
from windrow.aggregates.events import Events
from windrow.aggregates.extremes import Rank
from windrow.aggregates.fused import fused
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.parts import Ending, Part
from windrow.aggregates.tuples import Ints
from windrow.buffers.growing import grown
from windrow.kernels import sorted_blocks as kernels
from windrow.schema import Field, arrow_type

_BLOCK = 64
"""Values."""
_FIRST_BLOCKS = 256
_FINEST = 1_000_000
_POSITIVE = np.int64(2**63 - 1)


def between(call: Call, field: Field, ledger: Ledger) -> Aggregate | None:
    """MEDIAN and QUANTILE_CONT: between the two values around the place that is asked."""
    return _quantile(call, field, ledger, is_discrete=False)


def one_of(call: Call, field: Field, ledger: Ledger) -> Aggregate | None:
    """QUANTILE_DISC: a value that is there."""
    return _quantile(call, field, ledger, is_discrete=True)


def _quantile(call: Call, field: Field, ledger: Ledger, *, is_discrete: bool) -> Aggregate | None:
    share = _share(call)
    column = call.arguments[0] if call.arguments else None
    given = ledger.input.find(column.name) if isinstance(column, exp.Column) else None
    if share is None or given is None or not _is_number(arrow_type(given.type)):
        return None
    if ledger.ending is not Ending.FORESEEN or call.distinct or call.order or not is_plain(call):
        return None
    rank = ledger.ingredient(Rank(given.name, call.filter_column()))
    order = ledger.part(InOrder, rank)
    place = order.want(share, is_discrete=is_discrete)
    is_float = pa.types.is_floating(arrow_type(given.type))
    if is_discrete:
        return FromSums(lambda: _one(order.around(place), field.arrow.type, is_float=is_float))
    return FromSums(lambda: _between(order.around(place), float(share), is_float=is_float))


def _share(call: Call) -> Fraction | None:
    """Where among the values the wanted one is: 0 the first, 1 the last."""
    if call.name == "median":
        return Fraction(1, 2) if len(call.arguments) == 1 else None
    if len(call.arguments) != 2 or not isinstance(call.arguments[1], exp.Literal):
        return None
    text = call.arguments[1].name
    share = Fraction(text) if text.replace(".", "", 1).isdecimal() else Fraction(2)
    return share if share <= 1 and share.denominator <= _FINEST else None


def _is_number(type_: pa.DataType) -> bool:
    return bool(
        pa.types.is_float64(type_) or (pa.types.is_integer(type_) and not pa.types.is_uint64(type_))
    )


def _one(noted: Ints, type_: pa.DataType, *, is_float: bool) -> pa.Array[Any]:
    there, values = noted[:, 0] > 0, noted[:, 1]
    known = np.where(there, _floats(values) if is_float else values, 0)
    return pa.array(known, mask=~there).cast(type_)


def _between(noted: Ints, share: float, *, is_float: bool) -> pa.Array[Any]:
    sizes, low, high = noted.T
    place = np.maximum(sizes - 1, 0) * share
    part = place - np.floor(place)
    one, other = (_floats(each) if is_float else each.astype(np.float64) for each in (low, high))
    with np.errstate(invalid="ignore"):
        found = np.where(part == 0, one, fused(one, 1 - part, other * part))
    return pa.array(found, mask=sizes == 0)


def _floats(ranks: Ints) -> np.typing.NDArray[np.float64]:
    return (ranks ^ ((ranks >> 63) & _POSITIVE)).view(np.float64)


class InOrder(Part):
    """The ranks of the live tuples of each group, in order."""

    def __init__(self, rank: str) -> None:
        self._rank = rank
        self._shares = np.empty(0, np.float64)
        self._parts = np.empty((0, 2), np.int64)
        self._heads = np.empty((0, 2), np.int64)
        self._blocks = np.empty((0, 2), np.int64)
        self._values = np.empty((0, _BLOCK), np.int64)
        self._free = np.array([kernels.NONE])
        self._noted = np.empty((0, 1), np.int64)
        """Of each moment how many there are, and the ranks around each place asked."""

    def want(self, share: Fraction, *, is_discrete: bool) -> int:
        """Ask for one more share; its number. All are known before the first tuple comes."""
        parts = (share.numerator, share.denominator if is_discrete else 0)
        self._shares, self._parts = np.append(self._shares, float(share)), np.vstack([self._parts, parts])
        return len(self._shares) - 1

    def around(self, asked: int) -> Ints:
        """After `observe`, of each moment how many there are, and the ranks around the place asked."""
        return self._noted[:, [0, 1 + 2 * asked, 2 + 2 * asked]]

    def observe(self, events: Events) -> None:
        missing = events.capacity - len(self._heads)
        if missing > 0:
            self._heads = np.concatenate([self._heads, np.tile([kernels.NONE, 0], (missing, 1))])
        moments = events.moments
        self._noted = np.empty((len(moments), 1 + 2 * len(self._shares)), np.int64)
        opened = moments.groups[: moments.openings]
        asked = self._shares, self._parts
        kernels.note_all(opened, *asked, self._heads, self._blocks, self._values, self._noted)
        last = np.full(len(moments), -1)
        noting = np.flatnonzero(events.places >= 0)
        last[events.places[noting]] = noting
        what = events.rows, events.counting(self._rank), events.places, events.groups
        ranks, event = events.tuples.integers(self._rank), 0
        while event < len(events.rows):
            state = self._heads, self._blocks, self._values, self._free
            event = kernels.keep(*what, ranks, last, *asked, *state, self._noted, event)
            if event < len(events.rows):
                self._make_blocks()

    def forget(self, groups: Ints) -> None:
        """Groups without tuples have no blocks left."""

    def _make_blocks(self) -> None:
        """Have twice as many blocks."""
        known = len(self._blocks)
        more = max(known, _FIRST_BLOCKS)
        self._values = grown(self._values, known + more, 0)
        self._blocks = grown(self._blocks, known + more, 0)
        self._blocks[known:, kernels.BEHIND] = np.arange(known + 1, known + more + 1)
        self._blocks[-1, kernels.BEHIND] = self._free[0]
        self._free[0] = known
