"""Which share of the work a row belongs to: rows with equal keys always share a bucket.

DuckDB's hash treats values as its equality does: NULLs alike, NaNs alike, both zeros alike. It is
the same in every process; a new DuckDB version may change it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.expressions.engine import INPUT, ask

HOME = 0
"""The bucket of all rows where they are to be together whatever their keys."""


def buckets(table: pa.Table, keys: Sequence[str], count: int) -> npt.NDArray[np.int32]:
    """For each row the number of its bucket, from 0 to count - 1."""
    if count == 1 or not keys or not len(table):
        return np.full(len(table), HOME, np.int32)
    names = [f"c{place}" for place in range(len(keys))]
    key_table = table.select(list(keys)).rename_columns(names)
    statement = f"SELECT CAST(hash({', '.join(names)}) % {count} AS INTEGER) AS bucket FROM {INPUT}"
    numbers: npt.NDArray[np.int32] = ask(statement, key_table)["bucket"].to_numpy()
    return numbers
