"""Rows of several calls put side by side."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from windrow.aggregates.user_defined.side_by_side import Results, side_by_side


def results(*values: tuple[int, str]) -> Results:
    return Results(
        np.array([tuple_ for tuple_, _ in values], np.int64), pa.array([value for _, value in values])
    )


def test_the_rows_of_one_call_are_as_they_are() -> None:
    one = results((0, "a"), (2, "b"), (2, "c"))
    tuples, (values,) = side_by_side([one], 4)
    assert tuples.tolist() == [0, 2, 2]
    assert values.to_pylist() == ["a", "b", "c"]


def test_a_call_that_returns_fewer_has_null() -> None:
    left, right = results((0, "a"), (2, "b"), (2, "c")), results((1, "x"), (2, "y"), (3, "z"), (3, "z"))
    tuples, values = side_by_side([left, right], 5)
    rows = list(zip(tuples.tolist(), *(each.to_pylist() for each in values), strict=True))
    assert rows == [
        (0, "a", None),
        (1, None, "x"),
        (2, "b", "y"),
        (2, "c", None),
        (3, None, "z"),
        (3, None, "z"),
    ]
