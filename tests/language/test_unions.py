"""UNION merges streams: types brought together, duplicates of one instant dropped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import Refused, StatementError, TypeMismatch
from windrow.language.timestamps import timestamp_column
from windrow.plan.nodes import DistinctInstant, Node, Project, Scan, Union

FAILURES = [
    (
        "SELECT price FROM OpenAuction UNION ALL SELECT price, itemID FROM Bid",
        Refused,
        "the UNION begins with 1 column, and this has 2",
        "SELECT price, itemID FROM Bid",
        "give each the same number of columns",
    ),
    (
        "SELECT price FROM OpenAuction UNION SELECT price FROM ClosedAuction",
        Refused,
        "UNION drops duplicates of one instant, so its queries must give timestamps at one place",
        "SELECT price FROM ClosedAuction",
        "add the timestamp column to each at the same place, or write UNION ALL",
    ),
    (
        "SELECT price, start_time FROM OpenAuction UNION SELECT current_time, price FROM ClosedAuction",
        TypeMismatch,
        "column price of the UNION would be FLOAT and TIMESTAMP",
        "SELECT current_time, price FROM ClosedAuction",
        "CAST one to the type of the other",
    ),
    (
        "SELECT bid_time FROM Bid UNION SELECT start_time FROM OpenAuction",
        Refused,
        "UNION drops duplicates of one instant, so its queries must give timestamps at one place",
        "SELECT start_time FROM OpenAuction",
        "add the timestamp column to each at the same place, or write UNION ALL",
    ),
    (
        "SELECT price FROM Bid UNION ALL SELECT bid_time FROM Bid",
        TypeMismatch,
        "column price of the UNION would be FLOAT and TIMESTAMP",
        "SELECT bid_time FROM Bid",
        "CAST one to the type of the other",
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


def test_a_chain_of_unions_is_one_merge(plan: Callable[[str], Node]) -> None:
    node = plan(" UNION ALL ".join(["SELECT price FROM Bid"] * 4))
    assert isinstance(node, Union)
    assert len(node.branches) == 4


def test_parentheses_make_no_difference_to_a_merge(plan: Callable[[str], Node]) -> None:
    chain = plan(
        "SELECT price FROM Bid UNION ALL SELECT price FROM Bid UNION ALL SELECT price FROM OpenAuction"
    )
    nested = plan(
        "SELECT price FROM Bid UNION ALL (SELECT price FROM Bid UNION ALL (SELECT price FROM OpenAuction))"
    )
    assert chain == nested


def test_a_thousand_branches(plan: Callable[[str], Node]) -> None:
    node = plan(" UNION ALL ".join(["SELECT price FROM Bid"] * 1000))
    assert len(node.inputs) == 1000


def test_types_are_cast_to_the_common_one(plan: Callable[[str], Node]) -> None:
    node = plan("SELECT itemID FROM Bid UNION ALL SELECT price FROM OpenAuction")
    assert [(field.name, field.type) for field in node.schema] == [("itemID", "FLOAT")]
    cast, kept = node.inputs
    assert isinstance(cast, Project)
    assert [each.sql("duckdb") for each in cast.expressions] == ['CAST("itemID" AS REAL)']
    assert kept.schema.names == ("price",)


def test_union_drops_duplicates_of_one_instant(plan: Callable[[str], Node]) -> None:
    node = plan(
        "SELECT price, start_time FROM OpenAuction UNION SELECT price, current_time FROM ClosedAuction"
    )
    assert isinstance(node, DistinctInstant)
    assert isinstance(node.input, Union)
    assert timestamp_column(node) == "start_time"


def test_union_covers_what_stands_before_it(plan: Callable[[str], Node]) -> None:
    closed = "SELECT price, current_time FROM ClosedAuction"
    opened = "SELECT price, start_time FROM OpenAuction"
    last = plan(f"{opened} UNION ALL {closed} UNION {opened}")
    assert isinstance(last, DistinctInstant)
    assert len(last.input.inputs) == 3
    first = plan(f"{opened} UNION {closed} UNION ALL {opened}")
    assert isinstance(first, Union)
    distinct, plain = first.branches
    assert isinstance(distinct, DistinctInstant)
    assert isinstance(plain, Project)
    twice = plan(f"{opened} UNION {closed} UNION {opened}")
    assert isinstance(twice, DistinctInstant)
    assert len(twice.input.inputs) == 3


def test_a_query_in_from_can_be_a_union(plan: Callable[[str], Node]) -> None:
    node = plan("SELECT price FROM (SELECT * FROM Bid UNION ALL SELECT * FROM Bid) WHERE price > 1")
    assert all(isinstance(scan, Scan) for scan in node.inputs[0].inputs[0].inputs)
