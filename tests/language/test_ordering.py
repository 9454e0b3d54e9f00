"""On streams ORDER BY the timestamp says what holds anyway, and any other order is refused; over windows it
sorts, and LIMIT cuts. What such queries mean is in golden/ordering.txt and scripts/top_k.esl."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import Refused, StatementError, TypeMismatch, UnknownName
from windrow.plan.answer_order import answer_order
from windrow.plan.nodes import Node, sql_of
from windrow.plan.rules.optimizer import optimize

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
    (
        "SELECT price FROM Bid ORDER BY price LIMIT 3",
        Refused,
        "Bid has no end, so nobody knows which of its tuples are first",
        "3",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT price FROM Bid OFFSET 3",
        Refused,
        "Bid has no end, so nobody knows which of its tuples are first",
        "3",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT price FROM Bid [ROWS 9] ORDER BY 2",
        Refused,
        "there is no column 2 in the SELECT list",
        "2",
        "they are numbered from 1 to 1",
    ),
    (
        "SELECT price FROM Bid [ROWS 9] LIMIT -1",
        Refused,
        "LIMIT and OFFSET take a number of tuples, and this is negative",
        "1",
        "write 0 or more",
    ),
    (
        "SELECT price FROM Bid [ROWS 9] LIMIT 'x'",
        TypeMismatch,
        "could not convert string 'x' to INT64",
        "'x'",
        "write a value of that type",
    ),
    (
        "SELECT price FROM Bid [ROWS 9] ORDER BY bider",
        UnknownName,
        "there is no column 'bider'",
        "bider",
        "did you mean bidderID?",
    ),
    (
        "SELECT price FROM Bid [ROWS 9] GROUP BY price ORDER BY itemID",
        Refused,
        "column 'itemID' is neither grouped nor in an aggregate",
        "itemID",
        "add it to GROUP BY, or take any_value(itemID)",
    ),
    (
        "SELECT price FROM Bid [ROWS 9] UNION ALL SELECT price FROM Bid [ROWS 9] ORDER BY price + 1",
        Refused,
        "what several queries give together is sorted by its columns",
        "price + 1",
        "put the whole into FROM, and sort what is selected from there",
    ),
    (
        "SELECT DISTINCT itemID FROM Bid [ROWS 9] ORDER BY price",
        Refused,
        "of duplicates one is left, so what they are sorted by has to be selected",
        "price",
        "add it to the SELECT list, or sort by a column that is there",
    ),
    (
        "WITH RECURSIVE up AS (SELECT price FROM Bid UNION ALL SELECT price FROM up) SELECT * FROM up",
        Refused,
        "up reads itself, and a query over streams cannot be recursive",
        "up",
        "write as many steps as are needed one after another, each with a name of its own",
    ),
    (
        "WITH up AS (SELECT price FROM up) SELECT * FROM up",
        Refused,
        "up reads itself, and a query over streams cannot be recursive",
        "up",
        "write as many steps as are needed one after another, each with a name of its own",
    ),
    (
        "WITH x(a, b) AS (SELECT price FROM Bid) SELECT a FROM x",
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


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("SELECT price FROM Bid [ROWS 9] ORDER BY price DESC", ["price DESC"]),
        ("SELECT price, itemID FROM Bid [ROWS 9] ORDER BY 2 LIMIT 1", ["itemID", "price"]),
        ("SELECT price FROM Bid [ROWS 9] ORDER BY itemID", []),
        ("SELECT price + 1 FROM (SELECT price FROM Bid [ROWS 9] ORDER BY price)", []),
        ("SELECT price FROM Bid", []),
    ],
)
def test_the_order_in_which_an_answer_is_shown(
    plan: Callable[[str], Node], query: str, shown: list[str]
) -> None:
    assert [sql_of(each) for each in answer_order(optimize(plan(query)))] == shown
