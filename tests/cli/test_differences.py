"""The two tables of an ASSERT that failed."""

from __future__ import annotations

import pyarrow as pa

from windrow.cli.differences import drawn
from windrow.comparison import compare


def lines(expected: pa.Table, actual: pa.Table) -> list[str]:
    difference = compare(expected, actual)
    assert difference
    return drawn(difference).plain.splitlines()


def test_columns_stand_below_each_other() -> None:
    expected = pa.table({"x": [1, None], "name": ["a", "b"]})
    actual = pa.table({"x": [1, 100_000], "name": ["a", "a long name"]})
    assert lines(expected, actual) == [
        "",
        "expected",
        "       x │ name",
        "  ───────┼────────────",
        "       1 │ a",
        "-   NULL │ b",
        "",
        "came",
        "       x │ name",
        "  ───────┼────────────",
        "       1 │ a",
        "+ 100000 │ a long name",
    ]


def test_of_many_rows_those_that_differ_are_shown() -> None:
    expected = pa.table({"x": range(100)})
    actual = pa.table({"x": [*range(50), 200, *range(51, 100)]})
    told = lines(expected, actual)
    assert told[4:7] == ["  … 50 rows not shown", "-  50", "  … 49 rows not shown"]
    assert told[-2:] == ["  … 99 rows not shown", "+ 200"]


def test_of_very_many_rows_that_differ_some_are_shown() -> None:
    told = lines(pa.table({"x": range(1000)}), pa.table({"x": range(2000, 2001)}))
    assert sum(line.startswith("-") for line in told) == 200
    assert "  … 800 rows not shown" in told


def test_nothing_is_said_to_be_nothing() -> None:
    empty = pa.table({"x": pa.array([], pa.int64())})
    assert lines(empty, pa.table({"x": [1]}))[:3] == ["", "expected", "  nothing"]
