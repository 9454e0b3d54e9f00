"""A stream of numbered packets."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

STREAM = "CREATE STREAM Packets (ts TIMESTAMP, src INTEGER, note VARCHAR) ORDER BY ts"


def packets(first: int, count: int) -> pa.Table:
    """One a microsecond; `src` is its number."""
    numbers = np.arange(first, first + count)
    notes = pa.array(numbers.astype(str))
    return pa.table(
        {
            "ts": pa.array(numbers, pa.timestamp("us")),
            "src": pa.array(numbers.astype(np.int32)),
            "note": notes,
        }
    )
