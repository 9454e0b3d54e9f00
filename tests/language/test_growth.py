"""Short texts that stand for very long ones are refused before anybody writes them out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.language.monsters import doubled
from windrow.errors import Refused, StatementError

_ALIASES = (
    "an alias stands for its whole expression, and here too many stand within each other",
    "compute a part of it in a query in FROM, where it is a column",
)
_STARS = (
    "a star gives all columns of what it stands for, and here these are too many",
    "name the columns that are needed",
)
_STEPS = (
    "the query takes more than 4000 steps",
    "what is named twice is computed twice: name less, or join fewer",
)
_DEPTH = 14


def nested_stars(times: int) -> str:
    return f"{'SELECT *, * FROM (' * times}SELECT * FROM Bid{') AS q' * times}"


FAILURES = [
    (doubled("aliases of aliases", _DEPTH), *_ALIASES),
    (doubled("aliases in a body", _DEPTH), *_ALIASES),
    ("CREATE TABLE Item (price INT);" + doubled("aliases in a table's query", _DEPTH), *_ALIASES),
    (
        "SELECT price + 1 AS a" + ", a" * 200 + " FROM Bid WHERE " + " AND ".join(["a > 1"] * 5000),
        *_ALIASES,
    ),
    (doubled("columns of WITH", _DEPTH), *_STARS),
    (nested_stars(_DEPTH), *_STARS),
    ("SELECT " + "*, " * 500 + "1 FROM Bid", "the result has more than 2000 columns", _STARS[1]),
    (doubled("unions of WITH", _DEPTH).replace("w1", f"w{_DEPTH}"), *_STEPS),
    (doubled("joins of WITH", _DEPTH).replace("w1", f"w{_DEPTH}"), *_STEPS),
]


@pytest.mark.parametrize(("text", "message", "hint"), FAILURES)
def test_refuses(
    fails: Callable[[str], tuple[type[StatementError], str, str, str | None]],
    text: str,
    message: str,
    hint: str,
) -> None:
    kind, told, _, advice = fails(text)
    assert (kind, told, advice) == (Refused, message, hint)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT price AS a"
        + "".join(f", a{n - 1 or ''} + {n} AS a{n}" for n in range(1, 40))
        + " FROM Bid",
        "SELECT price + 1 AS price, price + 2 AS price, count(*) OVER (ROWS 1 PRECEDING) FROM Bid",
        nested_stars(3),
        "SELECT x.* FROM (SELECT * FROM Bid [NOW]) AS x, Bid [NOW] AS y, OpenAuction [NOW] AS z",
        "WITH w AS (SELECT * FROM Bid) " + " UNION ALL ".join(["SELECT * FROM w"] * 300),
    ],
)
def test_what_stays_small_is_right(run: Callable[[str], None], text: str) -> None:
    run(text)
