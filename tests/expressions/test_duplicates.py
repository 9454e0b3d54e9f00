from __future__ import annotations

import pyarrow as pa

from windrow.expressions.duplicates import first_of_equals


def test_null_nan_and_both_zeros_are_equal_to_themselves() -> None:
    table = pa.table({"a": [1, 1, None, None, 1], "b": [0.0, -0.0, float("nan"), float("nan"), 2.0]})
    assert first_of_equals(table).tolist() == [0, 2, 4]


def test_of_no_rows_none_is_the_first() -> None:
    assert first_of_equals(pa.table({"a": pa.array([], pa.int8())})).tolist() == []
