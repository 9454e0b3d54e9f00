"""ORDER BY the timestamp says what holds anyway; any other order is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import Refused, StatementError, UnknownName
from windrow.plan.nodes import Node

FAILURES = [
    (
        "SELECT price FROM Bid ORDER BY price",
        Refused,
        "the results of a query come in the order of its timestamp",
        "price",
        "there is no timestamp column here: leave ORDER BY out",
    ),
    (
        "SELECT price FROM OpenAuction ORDER BY price",
        Refused,
        "the results of a query come in the order of its timestamp",
        "price",
        "the timestamp here is start_time",
    ),
    (
        "SELECT * FROM OpenAuction ORDER BY start_time DESC",
        Refused,
        "the results of a query come in the order of its timestamp",
        "start_time",
        "leave DESC out: a stream cannot run backwards",
    ),
    (
        "SELECT * FROM OpenAuction ORDER BY start_time, price",
        Refused,
        "the results of a query come in the order of its timestamp",
        "price",
        "leave all but the timestamp out: ties come in order of arrival",
    ),
    (
        "SELECT * FROM OpenAuction ORDER BY 1",
        Refused,
        "the results of a query come in the order of its timestamp",
        "1",
        "the timestamp here is start_time",
    ),
    (
        "SELECT * FROM OpenAuction ORDER BY start_tim",
        UnknownName,
        "there is no column 'start_tim'",
        "start_tim",
        "did you mean start_time?",
    ),
    (
        "SELECT price FROM OpenAuction UNION ALL SELECT price FROM ClosedAuction ORDER BY start_time",
        UnknownName,
        "there is no column 'start_time'",
        "start_time",
        "columns are: price",
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
    "query",
    [
        "SELECT * FROM OpenAuction",
        "SELECT price FROM OpenAuction",
        "SELECT start_time FROM OpenAuction",
        "SELECT start_time AS begun FROM OpenAuction",
    ],
)
@pytest.mark.parametrize("order", ["ORDER BY start_time", "order by START_TIME asc"])
def test_order_by_the_timestamp_changes_nothing(
    plan: Callable[[str], Node], query: str, order: str
) -> None:
    assert plan(f"{query} {order}") == plan(query)


def test_order_by_the_timestamp_under_its_new_name(plan: Callable[[str], Node]) -> None:
    query = "SELECT start_time AS begun FROM OpenAuction"
    assert plan(f"{query} ORDER BY begun") == plan(query)


def test_order_by_the_timestamp_of_a_union(plan: Callable[[str], Node]) -> None:
    query = "SELECT start_time AS t FROM OpenAuction UNION ALL SELECT current_time FROM ClosedAuction"
    assert plan(f"{query} ORDER BY t") == plan(query)
