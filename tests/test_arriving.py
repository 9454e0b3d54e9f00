"""Rows and instants from Python: what is taken, and what is refused with a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from windrow.arriving import as_arriving, as_microseconds
from windrow.catalog import Stamping, Stream
from windrow.errors import SourceError
from windrow.schema import Schema

STREAM = Stream("S", Schema.of(("item", "INTEGER"), ("at", "TIMESTAMP")), Stamping.EXTERNAL, "at")
WIDE = Stream(
    "W",
    Schema.of(
        ("small", "TINYINT"),
        ("price", "FLOAT"),
        ("exact", "DECIMAL(10,2)"),
        ("name", "VARCHAR"),
        ("ok", "BOOLEAN"),
        ("day", "DATE"),
        ("list", "INTEGER[]"),
        ("pair", "STRUCT(a INTEGER, b VARCHAR)"),
        ("raw", "BLOB"),
    ),
)
NEW_YEAR = datetime(2026, 1, 1)
_NEW_YEAR = 1_767_225_600_000_000


@pytest.mark.parametrize(
    "instant",
    [
        _NEW_YEAR,
        "2026-01-01",
        "2026-01-01 00:00:00",
        "2026-01-01T01:00:00+01:00",
        NEW_YEAR,
        NEW_YEAR.replace(tzinfo=UTC),
        datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
    ],
)
def test_instants_are_microseconds_text_or_datetimes(instant: int | str | datetime) -> None:
    assert as_microseconds(instant) == _NEW_YEAR


def test_instants_before_1970_and_their_fractions_are_exact() -> None:
    assert as_microseconds("1969-12-31 23:59:59.999999") == -1
    assert as_microseconds("9999-12-31 23:59:59.999999") == 253_402_300_799_999_999


@pytest.mark.parametrize(
    ("instant", "message"),
    [("yesterday", "'yesterday' is no instant"), (2**62 + 1, f"{2**62 + 1} microseconds are no instant")],
)
def test_what_is_no_instant_is_refused(instant: int | str, message: str) -> None:
    with pytest.raises(SourceError) as refused:
        as_microseconds(instant)
    assert refused.value.message == message


@pytest.mark.parametrize(
    "rows",
    [
        [(7, NEW_YEAR)],
        [[7, "2026-01-01"]],
        ((7, _NEW_YEAR) for _ in range(1)),
        np.array([[7, _NEW_YEAR]]),
        [{"item": 7, "at": NEW_YEAR}],
        [{"AT": "2026-01-01", "Item": "7"}],
        pa.table({"item": [7], "at": [NEW_YEAR]}),
        pa.table({"At": ["2026-01-01"], "ITEM": pa.array([7], pa.int8())}),
        pa.record_batch({"at": [NEW_YEAR.replace(tzinfo=UTC)], "item": [7.0]}),
    ],
    ids=[
        "tuples",
        "lists",
        "iterator",
        "numpy",
        "mappings",
        "any case",
        "arrow",
        "arrow text",
        "arrow zone",
    ],
)
def test_a_row_may_come_as(rows: Iterable[Any]) -> None:
    table = as_arriving(STREAM, rows)
    assert table.schema == STREAM.arriving.arrow
    assert table.to_pylist() == [{"item": 7, "at": NEW_YEAR}]


def test_columns_that_a_mapping_leaves_out_are_null() -> None:
    assert as_arriving(STREAM, [{"at": 0}, {}]).column("item").to_pylist() == [None, None]


def test_no_rows_are_an_empty_table() -> None:
    assert as_arriving(STREAM, []).schema == STREAM.arriving.arrow


def test_values_of_every_kind_are_taken() -> None:
    row = (5, 1.5, Decimal("2.50"), "é", True, date(2026, 1, 1), [1, None], {"a": 1, "b": "x"}, b"\x00")
    nothing = (None,) * 9
    table = as_arriving(WIDE, [row, nothing])
    assert [tuple(each.values()) for each in table.to_pylist()] == [row, nothing]


def test_text_becomes_what_the_column_is() -> None:
    table = as_arriving(WIDE, [("5", "1.5", "2.50", 7, "true", "2026-01-01", None, None, None)])
    taken = list(table.to_pylist()[0].values())
    assert taken[:6] == [5, 1.5, Decimal("2.50"), "7", True, date(2026, 1, 1)]


def test_numpy_numbers_are_numbers() -> None:
    assert as_arriving(STREAM, [(np.int64(3), np.int64(9))]).column("item").to_pylist() == [3]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(1, 2), (1,)], "2 values are needed, (1,) has 1"),
        ([(1, 2, 3)], "2 values are needed, (1, 2, 3) has 3"),
        ([5], "5 is not a sequence of values"),
        ([{1, 2}], "{1, 2} is not a sequence of values"),
        ([None], "None is not a sequence of values"),
        (["ab"], "'ab' is not a sequence of values"),
        ([(1, 2), {"item": 1}], "{'item': 1} is not a sequence of values"),
        ([{"item": 1}, (1, 2)], "(1, 2) is not a mapping of values"),
        ("ab", "'ab' is not a list of rows"),
        ({"item": [1]}, "{'item': [1]} is not a list of rows"),
        (5, "5 is not a list of rows"),
        ([{"Price": 1}], "no column price"),
        ([{5: 1}], "no column 5"),
        ([("x", 1)], "Failed to parse string: 'x' as a scalar of type int32"),
        ([(1.5, 1)], "Float value 1.500000 was truncated converting to int32"),
        ([(1, 1.5)], "Float value 1.500000 was truncated converting to int64"),
        ([(2**40, 1)], "Integer value 1099511627776 not in range: -2147483648 to 2147483647"),
        ([(2**70, 1)], "too large to convert"),
        ([(1, 2**70)], "too large to convert"),
        ([(1, date(2026, 1, 1))], "Unsupported cast from date32[day] to int64"),
        (pa.table({"item": [1]}), "columns given: item; columns needed: item, at"),
        (
            pa.table({"item": [1], "at": [1], "x": [1]}),
            "columns given: item, at, x; columns needed: item, at",
        ),
        (pa.table({"item": [2**40], "at": [1]}), "Integer value 1099511627776 not in range"),
    ],
)
def test_rows_that_do_not_fit_are_refused(rows: Any, message: str) -> None:
    with pytest.raises(SourceError) as refused:
        as_arriving(STREAM, rows)
    assert refused.value.message.startswith("the rows do not fit S: ")
    assert message in refused.value.message
    assert refused.value.hint == "its columns are: item INTEGER, at TIMESTAMP"


def test_a_value_that_is_no_instant_is_refused() -> None:
    with pytest.raises(SourceError, match="'soon' is no instant"):
        as_arriving(STREAM, [(1, "soon")])


def test_text_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(SourceError, match="surrogates not allowed"):
        as_arriving(WIDE, [{"name": "\ud800"}])


def test_an_internal_timestamp_cannot_be_brought() -> None:
    schema = Schema.of(("item", "INTEGER"), ("current_time", "TIMESTAMP"))
    internal = Stream("I", schema, Stamping.INTERNAL, "current_time")
    assert as_arriving(internal, [(1,)]).column_names == ["item"]
    with pytest.raises(SourceError, match="no column current_time"):
        as_arriving(internal, [{"item": 1, "current_time": 5}])
