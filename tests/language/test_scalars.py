"""What has more than one tuple in view, or another value at each replay, is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import ParseError, Refused, StatementError
from windrow.language import engine
from windrow.plan.nodes import Node

FAILURES = [
    (
        "SELECT #1 FROM Bid",
        Refused,
        "columns have names here, and no numbers",
        "SELECT #1 FROM Bid",
        "write the name of the column",
    ),
    (
        "SELECT current_time() FROM ClosedAuction",
        Refused,
        "current_time() gives another value each time, so a replay would give other answers",
        "current_time()",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT random() FROM Bid",
        Refused,
        "random() gives another value each time, so a replay would give other answers",
        "random()",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT price FROM Bid WHERE rand() > 0.5",
        Refused,
        "rand() gives another value each time, so a replay would give other answers",
        "rand()",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT price + now() FROM Bid",
        Refused,
        "now() gives another value each time, so a replay would give other answers",
        "now()",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT uuid() FROM Bid",
        Refused,
        "uuid() gives another value each time, so a replay would give other answers",
        "uuid()",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT price FROM Bid WHERE bid_time < today()",
        Refused,
        "today() gives another value each time, so a replay would give other answers",
        "today()",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT age(bid_time) FROM Bid",
        Refused,
        "age() gives another value each time, so a replay would give other answers",
        "age(bid_time)",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT nextval('s') FROM Bid",
        Refused,
        "nextval() gives another value each time, so a replay would give other answers",
        "nextval('s')",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT price FROM Bid WHERE max(price) > 3",
        Refused,
        "an aggregate has no place here: this sees one tuple at a time",
        "max(price)",
        "conditions on aggregates stand in HAVING",
    ),
    (
        "SELECT unnest([price]) FROM Bid",
        Refused,
        "unnest makes several tuples of one, which an expression cannot",
        "unnest([price])",
        "keep the list as it is",
    ),
    (
        "SELECT COLUMNS('p.*') FROM Bid",
        Refused,
        "COLUMNS is not read here",
        "COLUMNS('p.*')",
        "name the columns, or write * with EXCLUDE",
    ),
    (
        "SELECT price FROM Bid WHERE price > $1",
        Refused,
        "a statement takes no parameters",
        "$",
        "write the value itself",
    ),
    (
        "SELECT price FROM Bid WHERE price > ?",
        Refused,
        "a statement takes no parameters",
        "?",
        "write the value itself",
    ),
    (
        "SELECT price FROM Bid WHERE *",
        Refused,
        "* stands only by itself in the SELECT list",
        "*",
        "name the columns",
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


def test_chains_have_a_limit(plan: Callable[[str], Node], fails: Callable[[str], object]) -> None:
    plan(f"SELECT {' + '.join(['price'] * 190)} FROM Bid")
    plan(f"SELECT price FROM Bid WHERE {' AND '.join(['price > 1'] * 190)}")
    text = "price" + "::INTEGER" * 300
    assert fails(f"SELECT {text} FROM Bid") == (
        ParseError,
        "the expression nests too deeply",
        "price",
        "compute a part of it in a subquery in FROM",
    )


def test_every_function_that_reads_a_clock_or_a_die_is_known() -> None:
    known = engine.unsteady_functions()
    assert {"random", "uuid", "now", "today", "current_date", "get_current_timestamp", "ago"} <= known


@pytest.mark.parametrize(
    "expression",
    [
        "abs(price)",
        "age(bid_time, bid_time)",
        "list_sum([price, 1])",
        "coalesce(bidderID, 'nobody')",
        "greatest(price, 3)",
        "date_trunc('hour', bid_time)",
        "hash(bidderID) % 4",
    ],
)
def test_steady_functions_are_allowed(plan: Callable[[str], Node], expression: str) -> None:
    assert len(plan(f"SELECT {expression} FROM Bid").schema) == 1
