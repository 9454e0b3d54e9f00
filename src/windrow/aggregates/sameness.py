"""Which values of a column are equal, as SQL groups them: NULL is equal to NULL, and NaN to NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from windrow.aggregates.tuples import bits
from windrow.expressions.engine import INPUT, ask

Places = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def equal_places(column: pa.Array[Any], left: Places, right: Places) -> Mask:
    """Whether the value at each place on the left equals that at the place on the right."""
    words = _words(column)
    if words is None:
        return _asked(column, left, right)
    same: Mask = (words[left] == words[right]).all(axis=1)
    if column.null_count:
        there = np.asarray(pc.is_valid(column))
        same = np.where(there[left] & there[right], same, there[left] == there[right])
    return same


def _words(column: pa.Array[Any]) -> npt.NDArray[np.int64] | None:
    """The values as words that are equal where they are; None where there are none such."""
    type_ = column.type
    if pa.types.is_floating(type_):
        floats = column.cast(pa.float64()).fill_null(0).to_numpy(zero_copy_only=False) + 0.0
        floats[np.isnan(floats)] = np.nan
        return floats.view(np.int64).reshape(-1, 1)
    if pa.types.is_integer(type_) or pa.types.is_boolean(type_):
        return bits(column.cast(pa.int64(), safe=False), 1)
    if pa.types.is_decimal128(type_):
        return bits(column, 2)
    return bits(column, 1) if pa.types.is_timestamp(type_) or pa.types.is_time64(type_) else None


def _asked(column: pa.Array[Any], left: Places, right: Places) -> Mask:
    table = pa.table({"l": column.take(left), "r": column.take(right)})
    same: Mask = ask(f"SELECT l IS NOT DISTINCT FROM r AS same FROM {INPUT}", table)["same"].to_numpy()
    return same
