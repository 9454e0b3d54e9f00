"""The SELECT list: stars, names and types of what comes out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import Refused, StatementError
from windrow.language.projection import distinct_names
from windrow.plan.nodes import Node, Project, Scan

FAILURES = [
    (
        "SELECT * EXCLUDE (itemID, price, bidderID, bid_time) FROM Bid",
        Refused,
        "SELECT leaves no column",
        "SELECT * EXCLUDE (itemID, price, bidderID, bid_time) FROM Bid",
        "EXCLUDE fewer columns",
    ),
    (
        "SELECT price AS __x FROM Bid",
        Refused,
        "'__x' begins with two underscores, as only the system's own names do",
        "price AS __x",
        "give it another name with AS",
    ),
    (
        "SELECT x FROM (SELECT price FROM Bid) AS t(a, b)",
        Refused,
        "2 names for 1 column",
        "b",
        "name at most as many as there are",
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


def columns(node: Node) -> dict[str, str]:
    """The SQL of each output column of a projection."""
    assert isinstance(node, Project)
    return {
        name: each.sql("duckdb") for name, each in zip(node.schema.names, node.expressions, strict=True)
    }


def test_all_columns_as_they_are_need_no_projection(plan: Callable[[str], Node]) -> None:
    assert isinstance(plan("SELECT * FROM Bid"), Scan)
    assert isinstance(plan("SELECT itemID, price, bidderID, bid_time FROM Bid"), Scan)


def test_columns_in_another_order_are_projected(plan: Callable[[str], Node]) -> None:
    assert plan("SELECT bid_time, * EXCLUDE (bid_time) FROM Bid").schema.names == (
        "bid_time",
        "itemID",
        "price",
        "bidderID",
    )


def test_star_with_exclude_replace_and_rename(plan: Callable[[str], Node]) -> None:
    assert columns(plan("SELECT Bid.* EXCLUDE (bidderID) REPLACE (price / 2 AS price) FROM Bid")) == {
        "itemID": '"itemID"',
        "price": '"price" / 2',
        "bid_time": '"bid_time"',
    }
    assert plan("SELECT * RENAME (price AS amount) FROM Bid").schema.names[1] == "amount"


def test_types_are_those_of_duckdb(plan: Callable[[str], Node]) -> None:
    node = plan(
        "SELECT price * 2 AS a, itemID / 2 AS b, NULL AS c, [] AS d, bid_time - bid_time AS e FROM Bid"
    )
    assert [field.type for field in node.schema] == ["FLOAT", "DOUBLE", "INTEGER", "INTEGER[]", "INTERVAL"]


def test_expressions_without_a_name_get_that_of_duckdb(plan: Callable[[str], Node]) -> None:
    assert plan("SELECT price + 1, lower(bidderID), 7 FROM Bid").schema.names == (
        "(price + 1)",
        "lower(bidderID)",
        "7",
    )


def test_an_alias_by_itself_keeps_its_name(plan: Callable[[str], Node]) -> None:
    node = plan("SELECT price * 2 AS Twice, TWICE, {'a': price}.a FROM Bid")
    assert node.schema.names == ("Twice", "TWICE_1", "(struct_pack(a := price)).a")


def test_names_are_told_apart_as_in_duckdb(plan: Callable[[str], Node]) -> None:
    assert plan("SELECT price, PRICE, 1 AS Price FROM Bid").schema.names == ("price", "price_1", "Price_2")
    assert distinct_names(["a", "a_1", "a", "A"]) == ("a", "a_1", "a_2", "A_3")


def test_columns_renamed_in_from(plan: Callable[[str], Node]) -> None:
    node = plan("SELECT * FROM (SELECT price, itemID FROM Bid) AS t(amount)")
    assert node.schema.names == ("amount", "itemID")
