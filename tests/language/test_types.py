"""DuckDB types expressions; the caret goes under the smallest part that has no type."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import StatementError, TypeMismatch, UnknownName
from windrow.language.casts import castable, spells
from windrow.language.types import common_type
from windrow.plan.nodes import Node

FAILURES = [
    (
        "SELECT price + bidderID FROM Bid",
        TypeMismatch,
        "nothing computes +(FLOAT, VARCHAR)",
        "price + bidderID",
        "an explicit CAST may help",
    ),
    (
        "SELECT lower(price) FROM Bid",
        TypeMismatch,
        "nothing computes lower(FLOAT)",
        "lower(price)",
        "there is lower(string VARCHAR) -> VARCHAR",
    ),
    (
        "SELECT lowr(bidderID) FROM Bid",
        UnknownName,
        "there is no function 'lowr'",
        "lowr(bidderID)",
        "did you mean lower?",
    ),
    (
        "SELECT qqqqq(bidderID) FROM Bid",
        UnknownName,
        "there is no function 'qqqqq'",
        "qqqqq(bidderID)",
        None,
    ),
    (
        "SELECT CAST(price AS intt) FROM Bid",
        UnknownName,
        "there is no type 'intt'",
        "CAST(price AS intt)",
        "did you mean INT?",
    ),
    (
        "SELECT CASE WHEN price > 1 THEN lower(3) ELSE 'x' END FROM Bid",
        TypeMismatch,
        "nothing computes lower(INTEGER)",
        "lower(3)",
        "there is lower(string VARCHAR) -> VARCHAR",
    ),
    (
        "SELECT CASE WHEN price > 1 THEN [2] ELSE price END FROM Bid",
        TypeMismatch,
        "cannot mix values of type FLOAT and INTEGER[] in CASE expression",
        "price > 1 THEN [2] ELSE price",
        "an explicit CAST may help",
    ),
    (
        "SELECT price FROM Bid WHERE price",
        TypeMismatch,
        "WHERE takes a condition, and this has type FLOAT",
        "price",
        "compare it with something",
    ),
    (
        "SELECT price FROM Bid WHERE price > 3 AND lower(itemID) = 'x'",
        TypeMismatch,
        "nothing computes lower(INTEGER)",
        "lower(itemID)",
        "there is lower(string VARCHAR) -> VARCHAR",
    ),
    (
        "SELECT CAST(price AS DATE) FROM Bid",
        TypeMismatch,
        "nothing casts FLOAT to DATE",
        "CAST(price AS DATE)",
        "cast to another type first",
    ),
    (
        "SELECT 'abc'::INTEGER FROM Bid",
        TypeMismatch,
        "could not convert string 'abc' to INT32",
        "'abc'",
        "write a value of that type",
    ),
    (
        "SELECT price FROM Bid WHERE bid_time > 'yesterday'",
        TypeMismatch,
        "'yesterday' cannot be read as TIMESTAMP",
        "'yesterday'",
        "write a value of that type",
    ),
    (
        "SELECT price FROM Bid WHERE itemID = 'x'",
        TypeMismatch,
        "'x' cannot be read as INTEGER",
        "'x'",
        "write a value of that type",
    ),
    (
        "SELECT itemID IN ([1, 2]) FROM Bid",
        TypeMismatch,
        "nothing casts INTEGER to INTEGER[]",
        "itemID IN ([1, 2])",
        "cast to another type first",
    ),
    (
        "SELECT date_diff('dayz', bid_time, bid_time) FROM Bid",
        TypeMismatch,
        'extract specifier "DAYZ" not recognized',
        "date_diff('dayz', bid_time, bid_time)",
        "write a value of that type",
    ),
    (
        "SELECT CASE WHEN price > 1000 THEN price::DATE END FROM Bid",
        TypeMismatch,
        "nothing casts FLOAT to DATE",
        "price",
        "cast to another type first",
    ),
    (
        "SELECT regexp_matches(bidderID, '(') FROM Bid",
        TypeMismatch,
        "DuckDB refuses this: missing ): (",
        "regexp_matches(bidderID, '(')",
        None,
    ),
    (
        "SELECT price.x FROM Bid",
        TypeMismatch,
        "cannot extract field 'x' from expression \"price\" "
        "because it is not a struct, union, map, json or geometry",
        "price.x",
        "an explicit CAST may help",
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


@pytest.mark.parametrize(
    ("types", "common"),
    [
        (("INTEGER", "INTEGER"), "INTEGER"),
        (("INTEGER", "BIGINT"), "BIGINT"),
        (("INTEGER", "FLOAT"), "FLOAT"),
        (("DECIMAL(10,2)", "DECIMAL(12,1)"), "DECIMAL(13,2)"),
        (("INTEGER", "VARCHAR"), "VARCHAR"),
        (("DATE", "TIMESTAMP"), "TIMESTAMP"),
        (("INTEGER", "TIMESTAMP"), None),
        (("INTEGER[]", "INTEGER"), None),
    ],
)
def test_common_types(types: tuple[str, ...], common: str | None) -> None:
    assert common_type(types) == common


def test_casts_that_nothing_carries_out() -> None:
    assert castable("INTEGER", "VARCHAR")
    assert castable("VARCHAR", "DATE")
    assert castable("STRUCT(a INTEGER)", "VARCHAR")
    assert not castable("INTEGER", "DATE")
    assert not castable("BOOLEAN", "TIMESTAMP")


def test_texts_that_spell_a_value() -> None:
    assert spells("2026-01-31", "TIMESTAMP")
    assert not spells("2026-13-01", "TIMESTAMP")
    assert spells("it's", "VARCHAR")


@pytest.mark.parametrize(
    "condition",
    [
        "bid_time > '2026-01-31'",
        "bid_time BETWEEN '2026-01-01' AND '2026-02-01'",
        "bidderID LIKE 'a%'",
        "itemID IN ('1', '2')",
        "CAST(bidderID AS INTEGER) > 3",
        "TRY_CAST(price AS DATE) IS NULL",
        "map_keys(MAP {itemID: price}) IS NOT NULL",
        "bidderID = 'it''s' AND CAST(bidderID AS DATE) > '2026-01-31'",
        "NULL IS NULL",
    ],
)
def test_conditions_that_have_a_meaning(plan: Callable[[str], Node], condition: str) -> None:
    plan(f"SELECT price FROM Bid WHERE {condition}")
