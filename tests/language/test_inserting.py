"""INSERT INTO … VALUES gives an Arrow table of the columns that arrive."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import pyarrow as pa
import pytest

from windrow.catalog import Catalog
from windrow.errors import ParseError, Refused, StatementError, TypeMismatch, UnknownName
from windrow.language.inserting import inserted
from windrow.language.parser import parse
from windrow.language.statements import InsertValues

FAILURES = [
    (
        "INSERT INTO Bits VALUES (1)",
        UnknownName,
        "there is no stream or table 'Bits'",
        "Bits",
        "there are: OpenAuction, ClosedAuction, Bid",
    ),
    (
        "INSERT INTO Bid VALUES (1, 2.5)",
        Refused,
        "2 values for 4 columns",
        "2.5",
        "the columns are itemID, price, bidderID, bid_time",
    ),
    (
        "INSERT INTO Bid (itemID, prize) VALUES (1, 2.5)",
        UnknownName,
        "there is no column 'prize' to insert into",
        "prize",
        "did you mean price?",
    ),
    (
        "INSERT INTO Bid (itemID, itemID) VALUES (1, 2)",
        Refused,
        "column itemID is named twice",
        "itemID",
        "name each column once",
    ),
    (
        "INSERT INTO Bid (itemID) VALUES ('x')",
        TypeMismatch,
        "could not convert string 'x' to INT32",
        "'x'",
        "write a value of that type",
    ),
    (
        "INSERT INTO Bid (itemID) VALUES (price)",
        UnknownName,
        "VALUES has no columns, so 'price' means nothing",
        "price",
        "text stands in single quotes",
    ),
    (
        "INSERT INTO Bid (itemID) VALUES ((SELECT 1))",
        Refused,
        "VALUES takes plain values",
        "SELECT 1",
        "write the value itself",
    ),
    (
        "INSERT INTO Bid (bid_time) VALUES ('2026-13-01')",
        TypeMismatch,
        'timestamp field value out of range: "2026-13-01"',
        "'2026-13-01'",
        "write a value of that type",
    ),
    (
        "INSERT INTO Bid.late VALUES (1, 2, 'x', NULL)",
        Refused,
        "Bid.late takes no tuples from outside",
        "Bid.late",
        "insert into a stream that a statement declares with its columns",
    ),
    (
        "INSERT INTO ClosedAuction VALUES (1, 'x', 2.5, '2026-01-01')",
        Refused,
        "4 values for 3 columns",
        "'2026-01-01'",
        "the columns are itemID, buyerID, price",
    ),
    (
        "CREATE STREAM d AS SELECT price FROM Bid; INSERT INTO d VALUES (1)",
        Refused,
        "tuples of d come from its query, and from nowhere else",
        "d",
        "insert into a stream that a statement declares with its columns",
    ),
    ("INSERT INTO Bid VALUES", ParseError, "the statement ends too early, after 'VALUES'", "", None),
    (
        "INSERT INTO Bid (itemID) VALUES (foo(1))",
        UnknownName,
        "there is no function 'foo'",
        "foo(1)",
        "did you mean floor?",
    ),
]


@pytest.mark.parametrize(("text", "kind", "message", "under", "hint"), FAILURES)
def test_refuses(
    fails: Callable[[str], object],
    text: str,
    kind: type[StatementError],
    message: str,
    under: str,
    hint: str | None,
) -> None:
    assert fails(text) == (kind, message, under, hint)


def table(text: str, catalog: Catalog) -> pa.Table:
    (statement,) = parse(text)
    assert isinstance(statement, InsertValues)
    return inserted(statement, catalog)[1]


def test_values_take_the_types_of_the_columns(catalog: Catalog) -> None:
    given = table(
        "INSERT INTO Bid VALUES (1, 2.5, 'ann', '2026-01-31 12:00:00'), (1 + 1, NULL, 'b' || 'ob', NULL)",
        catalog,
    )
    assert given.to_pylist() == [
        {"itemID": 1, "price": 2.5, "bidderID": "ann", "bid_time": datetime(2026, 1, 31, 12)},
        {"itemID": 2, "price": None, "bidderID": "bob", "bid_time": None},
    ]
    stream = catalog.find("Bid")
    assert stream is not None
    assert given.schema == stream.schema.arrow


def test_columns_that_are_not_named_are_null(catalog: Catalog) -> None:
    given = table("INSERT INTO bid (BIDDERID, itemID) VALUES ('ann', 7)", catalog)
    assert given.to_pylist() == [{"itemID": 7, "price": None, "bidderID": "ann", "bid_time": None}]


def test_an_internal_timestamp_is_not_given(catalog: Catalog) -> None:
    given = table("INSERT INTO ClosedAuction VALUES (7, 'ann', 2.5)", catalog)
    assert given.column_names == ["itemID", "buyerID", "price"]
