"""DISTINCT, UNION, INTERSECT and EXCEPT over windows: what they become, and what has no meaning."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.catalog import Catalog
from windrow.errors import Refused, StatementError, TypeMismatch
from windrow.language.binder import bind
from windrow.language.parser import parse
from windrow.plan.grouping import Distinct
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import DistinctInstant, Node, Union

BID = "SELECT itemID FROM Bid [RANGE 10 MINUTES]"
OPEN = "SELECT itemID FROM OpenAuction [RANGE 10 MINUTES]"
CLOSED = "SELECT itemID FROM ClosedAuction [ROWS 100]"
A_WINDOW = "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true"
THAT_ENDS = "choose a window that ends, as [RANGE 10 MINUTES], or SET allow_unbounded = true"

FAILURES = [
    (
        "SELECT DISTINCT price FROM Bid",
        Refused,
        "DISTINCT would remember all results of Bid for ever",
        "DISTINCT",
        A_WINDOW,
    ),
    (
        "SELECT DISTINCT price FROM Bid [UNBOUNDED]",
        Refused,
        "DISTINCT would remember all results of Bid for ever",
        "DISTINCT",
        THAT_ENDS,
    ),
    (
        "SELECT DISTINCT price FROM Bid [RANGE 1 MINUTE INTERNAL]",
        Refused,
        "results of an INTERNAL window never end, so there would be duplicates in spite of DISTINCT",
        "DISTINCT",
        "leave INTERNAL or DISTINCT out",
    ),
    (
        f"{OPEN} UNION SELECT itemID FROM Bid",
        Refused,
        "UNION would remember all results of Bid for ever",
        "SELECT itemID FROM Bid",
        A_WINDOW,
    ),
    (
        f"{OPEN} EXCEPT SELECT itemID FROM Bid",
        Refused,
        "EXCEPT needs to know the end of its inputs, and Bid has none",
        "SELECT itemID FROM Bid",
        A_WINDOW,
    ),
    (
        f"SELECT itemID FROM Bid INTERSECT ALL {OPEN}",
        Refused,
        "INTERSECT needs to know the end of its inputs, and Bid has none",
        "SELECT itemID FROM Bid",
        A_WINDOW,
    ),
    (
        f"{OPEN} EXCEPT ALL SELECT itemID FROM Bid [UNBOUNDED]",
        Refused,
        "EXCEPT needs to know the end of its inputs, and Bid has none",
        "SELECT itemID FROM Bid",
        THAT_ENDS,
    ),
    (
        f"{OPEN} EXCEPT SELECT itemID, price FROM Bid [ROWS 5]",
        Refused,
        "the EXCEPT begins with 1 column, and this has 2",
        "SELECT itemID, price FROM Bid",
        "give each the same number of columns",
    ),
    (
        f"{OPEN} UNION ALL {BID} INTERSECT SELECT bid_time FROM Bid [ROWS 5]",
        TypeMismatch,
        "column itemID of the INTERSECT would be INTEGER and TIMESTAMP",
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


@pytest.mark.parametrize(
    "text",
    [
        "SELECT DISTINCT price FROM Bid",
        "SELECT price FROM Bid UNION SELECT price FROM Bid",
        "SELECT price FROM Bid EXCEPT SELECT price FROM Bid",
        f"SELECT itemID FROM Bid INTERSECT ALL {OPEN}",
    ],
)
def test_who_asks_for_it_may_remember_a_stream_for_ever(text: str, catalog: Catalog) -> None:
    (statement,) = parse(text)
    node = bind(statement.query, catalog, allow_unbounded=True)  # type: ignore[attr-defined]
    assert isinstance(node, Distinct | Intersect | Except)


def labels(node: Node) -> str:
    """A plan's set operations, in words."""
    if isinstance(node, Union):
        return f"({' + '.join(map(labels, node.branches))})"
    if isinstance(node, Distinct):
        return f"one of {labels(node.input)}"
    if isinstance(node, Intersect | Except):
        sign = {"Intersect": "&", "Except": "-"}[node.label]
        return f"({labels(node.left)} {sign}{'' if node.distinct else ' all'} {labels(node.right)})"
    return node.inputs[0].label[0] if node.label == "Project" else labels(node.inputs[0])


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (f"{BID} UNION {OPEN}", "one of (W + W)"),
        (f"{BID} UNION ALL {OPEN} UNION {CLOSED}", "one of (W + W + W)"),
        (f"{BID} UNION {OPEN} UNION ALL {CLOSED}", "(one of (W + W) + W)"),
        (f"{BID} EXCEPT {OPEN} EXCEPT ALL {CLOSED}", "((W - W) - all W)"),
        (f"{BID} UNION {OPEN} EXCEPT {CLOSED}", "(one of (W + W) - W)"),
        (f"{BID} EXCEPT {OPEN} UNION {CLOSED}", "one of ((W - W) + W)"),
        (f"{BID} UNION ALL {OPEN} INTERSECT {CLOSED}", "(W + (W & W))"),
        (f"{BID} INTERSECT ALL {OPEN} UNION ALL {CLOSED}", "((W & all W) + W)"),
        (f"({BID} UNION ALL {OPEN}) INTERSECT {CLOSED}", "((W + W) & W)"),
        (f"{BID} EXCEPT ({OPEN} EXCEPT {CLOSED})", "(W - (W - W))"),
    ],
)
def test_a_chain_goes_from_the_left_and_intersect_binds_tighter(
    plan: Callable[[str], Node], text: str, meaning: str
) -> None:
    assert labels(plan(text)) == meaning


def test_columns_are_those_of_the_first_query_cast_to_what_suits_all(plan: Callable[[str], Node]) -> None:
    node = plan(f"{BID} EXCEPT SELECT price AS cost FROM OpenAuction [ROWS 3]")
    assert [(field.name, field.type) for field in node.schema] == [("itemID", "FLOAT")]
    assert [each.schema.names for each in node.inputs] == [("itemID",), ("cost",)]


def test_distinct_of_a_stream_with_its_timestamp_remembers_an_instant(plan: Callable[[str], Node]) -> None:
    assert isinstance(plan("SELECT DISTINCT price, start_time FROM OpenAuction"), DistinctInstant)
    windowed = plan("SELECT DISTINCT price, start_time FROM OpenAuction [RANGE 1 MINUTE]")
    assert isinstance(windowed, Distinct)
