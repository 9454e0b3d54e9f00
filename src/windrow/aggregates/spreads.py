"""VARIANCE and STDDEV, from exact sums of the numbers and of their squares.

Nothing is rounded before their difference is, so a small variance of large numbers is right, too, and the
same whatever came and went before.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates.arguments import is_plain
from windrow.aggregates.base import Aggregate
from windrow.aggregates.calls import Call
from windrow.aggregates.events import Events
from windrow.aggregates.ingredients import Floats
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.sums import Counts, FloatSums, SquareSums
from windrow.kernels import digits
from windrow.schema import Field, arrow_type


def spread(call: Call, _: Field, ledger: Ledger) -> Aggregate | None:
    """VAR_SAMP, VAR_POP, STDDEV_SAMP and STDDEV_POP of whole and floating numbers."""
    column = call.only_column()
    given = None if column is None else ledger.input.find(column)
    if given is None or call.distinct or not is_plain(call):
        return None
    type_ = arrow_type(given.type)
    if not (pa.types.is_integer(type_) or pa.types.is_floating(type_)):
        return None
    name = ledger.ingredient(Floats(given.name, call.filter_column()))
    counts = ledger.part(Counts, name)
    return _Spread(
        call.name, counts, ledger.part(FloatSums, name, name), ledger.part(SquareSums, name, name)
    )


class _Spread(Aggregate):
    """One of the calls."""

    def __init__(self, name: str, counts: Counts, sums: FloatSums, squares: SquareSums) -> None:
        self._counts, self._sums, self._squares = counts, sums, squares
        self._is_of_all = name.endswith("_pop")
        self._is_root = name.startswith("stddev")

    def results(self, events: Events) -> pa.Array[Any]:
        counts, sums, squares = self._counts.numbers, self._sums, self._squares
        differences = digits.to_co_moments(
            np.ascontiguousarray(counts),
            squares.noted,
            squares.lowest,
            sums.noted,
            sums.lowest,
            sums.noted,
            sums.lowest,
        )
        pairs = counts.astype(np.float64) * (counts if self._is_of_all else counts - 1)
        results = differences / np.maximum(pairs, 1)
        special = sums.is_special
        results[special] = np.where(counts[special] > 1, np.nan, 0)
        return pa.array(np.sqrt(results) if self._is_root else results, mask=pairs <= 0)
