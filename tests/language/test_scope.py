"""Names: whatever their case, qualified or not, and unknown ones with the nearest known."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlglot import exp

from windrow.errors import Refused, StatementError, UnknownName
from windrow.language.parser import parse_query
from windrow.language.scope import Relation, Scope
from windrow.language.statements import Query
from windrow.plan.nodes import Node, Project
from windrow.schema import Schema

FAILURES = [
    (
        "SELECT bidder FROM Bid",
        UnknownName,
        "there is no column 'bidder'",
        "bidder",
        "did you mean bidderID?",
    ),
    (
        "SELECT bidderI FROM Bid WHERE price > 3",
        UnknownName,
        "there is no column 'bidderI'",
        "bidderI",
        "did you mean bidderID?",
    ),
    (
        "SELECT zzz FROM Bid",
        UnknownName,
        "there is no column 'zzz'",
        "zzz",
        "columns are: itemID, price, bidderID, bid_time",
    ),
    ("SELECT price FROM Bids", UnknownName, "there is no stream 'Bids'", "Bids", "did you mean Bid?"),
    (
        "SELECT price FROM qqq",
        UnknownName,
        "there is no stream 'qqq'",
        "qqq",
        "streams are: OpenAuction, ClosedAuction, Bid",
    ),
    ("SELECT price FROM Bid.lat", UnknownName, "there is no stream 'Bid.lat'", "lat", "did you mean Bid?"),
    ("SELECT Bod.price FROM Bid", UnknownName, "there is no 'Bod' in FROM", "Bod", "did you mean Bid?"),
    ("SELECT b.price FROM Bid AS a", UnknownName, "there is no 'b' in FROM", "b", "FROM names: a"),
    (
        "SELECT Bid.prize FROM Bid",
        UnknownName,
        "there is no column 'prize'",
        "prize",
        "did you mean price?",
    ),
    ("SELECT Bid.* FROM Bid AS b", UnknownName, "there is no 'Bid' in FROM", "Bid", "FROM names: b"),
    (
        'SELECT "text here" FROM Bid',
        UnknownName,
        "there is no column 'text here'",
        '"text here"',
        "text stands in single quotes; double quotes are for names",
    ),
    (
        "SELECT current_time FROM Bid",
        Refused,
        "current_time gives another value each time, so a replay would give other answers",
        "current_time",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT current_timestamp FROM Bid",
        Refused,
        "current_timestamp gives another value each time, so a replay would give other answers",
        "current_timestamp",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT * EXCLUDE (prize) FROM Bid",
        UnknownName,
        "there is no column 'prize'",
        "prize",
        "did you mean price?",
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


@pytest.mark.parametrize(
    ("item", "from_"),
    [
        ("ITEMID", "bid"),
        ("Bid.itemid", "Bid"),
        ("b.itemID", "Bid AS b"),
        ("b.itemID", "Bid b"),
        ('"itemID"', "Bid"),
        ("late.itemID", "Bid.late"),
        ("Bid.late.itemID", "Bid.late"),
        ("x.itemID", "(SELECT * FROM Bid) x"),
    ],
)
def test_names_keep_their_declared_spelling(plan: Callable[[str], Node], item: str, from_: str) -> None:
    assert columns(plan(f"SELECT {item} FROM {from_}")) == {"itemID": '"itemID"'}


def test_late_and_rejected_tuples_can_be_read(plan: Callable[[str], Node]) -> None:
    assert plan("SELECT * FROM OpenAuction.late").schema.names == (
        "itemID",
        "sellerID",
        "price",
        "start_time",
    )
    assert plan("SELECT input, reason FROM OpenAuction.REJECTED").schema.names == ("input", "reason")


def test_current_time_is_the_column_where_there_is_one(plan: Callable[[str], Node]) -> None:
    assert columns(plan("SELECT current_time FROM ClosedAuction")) == {"current_time": '"current_time"'}


def test_an_alias_serves_what_stands_behind_it(plan: Callable[[str], Node]) -> None:
    shown = columns(plan("SELECT price * 2 AS twice, twice + 1 AS more FROM Bid"))
    assert shown == {"twice": '"price" * 2', "more": '("price" * 2) + 1'}


def test_a_column_comes_before_an_alias(plan: Callable[[str], Node]) -> None:
    assert columns(plan("SELECT 1 AS price, price AS p FROM Bid"))["p"] == '"price"'


def test_outside_of_a_query_a_sum_without_a_name_goes_by_what_it_is_the_sum_of(
    plan: Callable[[str], Node], fails: Callable[[str], tuple[object, ...]]
) -> None:
    sums = "(SELECT itemID, sum(price), max(bid_time) FROM Bid [NOW] GROUP BY itemID)"
    assert columns(plan(f"SELECT price, PRICE + 1 AS more FROM {sums}")) == {
        "sum(price)": '"sum(price)"',
        "more": '"sum(price)" + 1',
    }
    assert columns(plan(f"SELECT price FROM {sums} AS s JOIN Bid [NOW] AS b USING (itemID)")) == {
        "price": '"price"'
    }
    twice = "(SELECT min(price), max(price) FROM Bid [NOW])"
    assert fails(f"SELECT price FROM {twice}")[1] == "there is no column 'price'"
    assert fails(f"SELECT price FROM {sums} AS s, {sums} AS t")[1] == "there is no column 'price'"


def test_an_alias_of_two_columns_is_ambiguous(fails: Callable[[str], object]) -> None:
    assert fails("SELECT price AS x, itemID AS x, x + 1 AS y FROM Bid") == (
        UnknownName,
        "'x' is an alias of two columns",
        "x",
        "give one of them another name",
    )


def test_fields_of_structs(plan: Callable[[str], Node]) -> None:
    node = plan("SELECT p.x.y, p.z FROM (SELECT {'x': {'y': price}, 'z': itemID} AS p FROM Bid)")
    assert [(field.name, field.type) for field in node.schema] == [("y", "FLOAT"), ("z", "INTEGER")]


def test_names_bound_in_lambdas_are_no_columns(plan: Callable[[str], Node]) -> None:
    node = plan(
        "SELECT list_transform([price], lambda q: q + itemID) AS a, [q + 1 for q in [price]] AS b FROM Bid"
    )
    assert isinstance(node, Project)
    named = {column.name for each in node.expressions for column in each.find_all(exp.Column)}
    assert named == {"price", "itemID"}


def test_a_name_in_two_relations_is_ambiguous() -> None:
    query: Query = parse_query("SELECT price FROM a")
    relations = tuple(Relation(name, Schema.of(("price", "INTEGER"))) for name in ("a", "b"))
    with pytest.raises(UnknownName) as caught:
        Scope(query.source, query.span, relations).resolve(query.tree.expressions[0])
    assert caught.value.message == "column 'price' could be a.price or b.price"
    assert caught.value.hint == "write the one that you mean with its stream's name"
