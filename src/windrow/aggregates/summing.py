"""SUM, AVG, COUNT_IF, BOOL_AND and BOOL_OR: what follows from a sum and a count.

Sums are exact. Of floating numbers the result is the exact sum, rounded once, where DuckDB's own depends
on the order in which it adds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.arguments import counted_once, number
from windrow.aggregates.base import Aggregate, FromSums
from windrow.aggregates.calls import Call
from windrow.aggregates.ingredients import Floats, Integers
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.sums import Counts, FloatSums, IntegerSums, WideIntegerSums
from windrow.aggregates.tuples import from_bits
from windrow.expressions.engine import INPUT, ask
from windrow.schema import Field, arrow_type

AnySums = IntegerSums | WideIntegerSums | FloatSums
Results = npt.NDArray[np.float64]

_EXACT = 2**53
"""Whole numbers up to this are floating numbers, too."""


def sum_(call: Call, field: Field, ledger: Ledger) -> Aggregate | None:
    """SUM, and COUNT_IF, which adds conditions."""
    added = _added(call, ledger)
    if added is None:
        return None
    sums, counts = added

    def compute() -> pa.Array[Any]:
        there = counts.numbers > 0
        if isinstance(sums, FloatSums):
            return pa.array(sums.floats(), mask=~there)
        return from_bits(sums.wide_integers(), field.arrow.type, there)

    return FromSums(compute)


def average(call: Call, _: Field, ledger: Ledger) -> Aggregate | None:
    """AVG: the sum, rounded, by the count."""
    added = _added(call, ledger)
    if added is None:
        return None
    sums, counts = added
    scale = _scale(call, ledger)

    def compute() -> pa.Array[Any]:
        total = sums.floats() if isinstance(sums, FloatSums) else _as_floats(sums.wide_integers(), scale)
        return pa.array(total / np.maximum(counts.numbers, 1), mask=counts.numbers == 0)

    return FromSums(compute)


def all_true(call: Call, _: Field, ledger: Ledger) -> Aggregate | None:
    """BOOL_AND."""
    return _of_conditions(call, ledger, lambda true, counts: true == counts)


def any_true(call: Call, _: Field, ledger: Ledger) -> Aggregate | None:
    """BOOL_OR."""
    return _of_conditions(call, ledger, lambda true, _: true > 0)


def _of_conditions(
    call: Call, ledger: Ledger, decide: Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], Any]
) -> Aggregate | None:
    added = _added(call, ledger)
    if added is None:
        return None
    sums, counts = added
    if not isinstance(sums, IntegerSums):
        return None

    def compute() -> pa.Array[Any]:
        decided = decide(sums.wide_integers()[:, 0], counts.numbers)
        return pa.array(decided, pa.bool_(), mask=counts.numbers == 0)

    return FromSums(compute)


def _added(call: Call, ledger: Ledger) -> tuple[AnySums, Counts] | None:
    """The sum and the count of a call's argument, where it is a number."""
    ingredient = number(call, ledger)
    if ingredient is None:
        return None
    name = ledger.ingredient(ingredient)
    which = counted_once(call, ledger) if call.distinct else name
    if isinstance(ingredient, Floats):
        kind: type[AnySums] = FloatSums
    else:
        kind = IntegerSums if isinstance(ingredient, Integers) else WideIntegerSums
    return ledger.part(kind, name, which), ledger.part(Counts, which)


def _scale(call: Call, ledger: Ledger) -> int:
    """How many digits of the argument lie behind the point."""
    field = ledger.input.find(call.only_column() or "")
    type_ = arrow_type(field.type) if field else pa.int64()
    return int(type_.scale) if pa.types.is_decimal(type_) else 0


def _as_floats(sums: npt.NDArray[np.int64], scale: int) -> Results:
    """Decimals as floating numbers, rounded as DuckDB's cast rounds them."""
    low, high = sums[:, 0], sums[:, 1]
    if bool(np.all((high == low >> 63) & (abs(low) <= _EXACT))):
        return low / 10.0**scale
    table = pa.table({"sums": from_bits(sums, pa.decimal128(38, scale), None)})
    floats: Results = ask(f"SELECT CAST(sums AS DOUBLE) AS floats FROM {INPUT}", table)["floats"].to_numpy()
    return floats
