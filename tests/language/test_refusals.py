"""Clauses that a query over streams cannot have are refused with the caret under the keyword."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import Refused, StatementError

FAILURES = [
    (
        "SELECT DISTINCT price FROM Bid",
        Refused,
        "DISTINCT would remember all results of Bid for ever",
        "DISTINCT",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT price FROM Bid QUALIFY price > 3",
        Refused,
        "QUALIFY has to see all that counts, and Bid has no end",
        "Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT price FROM Bid TABLESAMPLE 10%",
        Refused,
        "a query over streams cannot have a sample",
        "TABLESAMPLE",
        "choose tuples with WHERE on a hash of a column",
    ),
    (
        "SELECT price FROM Bid USING SAMPLE 3",
        Refused,
        "a query over streams cannot have a sample",
        "SAMPLE",
        "choose tuples with WHERE on a hash of a column",
    ),
    (
        "SELECT price FROM Bid WINDOW w AS ()",
        Refused,
        "WINDOW has to see all that counts, and Bid has no end",
        "Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT price FROM Bid EXCEPT SELECT price FROM Bid",
        Refused,
        "EXCEPT needs to know the end of its inputs, and Bid has none",
        "SELECT price FROM Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT price FROM Bid INTERSECT SELECT price FROM Bid",
        Refused,
        "INTERSECT needs to know the end of its inputs, and Bid has none",
        "SELECT price FROM Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT price FROM Bid UNION ALL BY NAME SELECT price FROM Bid",
        Refused,
        "BY NAME has to see all that counts, and Bid has no end",
        "Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT * FROM range(3)",
        Refused,
        "FROM names a stream or holds a query",
        "range(3)",
        "declare a source with CREATE STREAM",
    ),
    (
        "SELECT * FROM (VALUES (1))",
        Refused,
        "FROM names a stream or holds a query",
        "1",
        "declare a source with CREATE STREAM",
    ),
    (
        "SELECT * FROM Bid PIVOT (sum(price) FOR itemID IN (1))",
        Refused,
        "PIVOT has to see all that counts, and Bid has no end",
        "Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT 1",
        Refused,
        "a query reads a stream, and this one has no FROM",
        "SELECT 1",
        "name a stream in FROM",
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
