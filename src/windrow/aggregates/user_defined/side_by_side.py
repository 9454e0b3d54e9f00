"""What several calls return of the same tuples, put side by side in rows.

Of one tuple the first rows of all calls make the first row, and so on; a call that returned fewer has
NULL there. A tuple of which no call returned anything has no row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates.user_defined.machine import Ints


@dataclass(frozen=True, slots=True)
class Results:
    """The values that a call gave."""

    tuples: Ints
    """Of each value the place of its tuple, rising."""
    values: pa.Array[Any]


def side_by_side(results: Sequence[Results], count: int) -> tuple[Ints, list[pa.Array[Any]]]:
    """Of each row its tuple, below `count`, rising; and the columns of the calls."""
    if len(results) == 1:
        return results[0].tuples, [results[0].values]
    given = np.stack([np.bincount(each.tuples, minlength=count) for each in results])
    rows = given.max(axis=0)
    starts = np.cumsum(rows) - rows
    tuples = np.repeat(np.arange(count), rows)
    return tuples, [
        _spread(each, starts, own, len(tuples)) for each, own in zip(results, given, strict=True)
    ]


def _spread(results: Results, starts: Ints, given: Ints, length: int) -> pa.Array[Any]:
    rank = np.arange(len(results.tuples)) - (np.cumsum(given) - given)[results.tuples]
    places = np.full(length, -1, np.int64)
    places[starts[results.tuples] + rank] = np.arange(len(results.tuples))
    return taken_or_null(results.values, places)


def taken_or_null(values: pa.Array[Any], places: Ints) -> pa.Array[Any]:
    """The values at some places; NULL at place -1."""
    wanted: pa.Array[Any] = pa.array(places, mask=places < 0)
    return values.take(wanted)
