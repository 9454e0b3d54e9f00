"""OVER that has no meaning over streams is refused, and what its columns are called."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import ParseError, Refused, StatementError, TypeMismatch, UnknownName

pytestmark = pytest.mark.usefixtures("furnished")

_AHEAD = "depends on tuples that have not come yet"
_NUMBERS = "row_number() numbers the tuples as they come"
FAILURES = [
    (
        "SELECT sum(price) OVER () FROM Bid",
        Refused,
        "OVER does not say which tuples before each one it takes in",
        "sum(price)",
        "write RANGE 10 MINUTES PRECEDING, ROWS 9 PRECEDING or RANGE UNBOUNDED PRECEDING",
    ),
    (
        "SELECT sum(price) OVER (ORDER BY price) FROM OpenAuction",
        Refused,
        "frames follow the tuples as they come, in the order of their timestamp",
        "price",
        "the timestamp here is start_time",
    ),
    (
        "SELECT sum(price) OVER (ORDER BY start_time DESC) FROM OpenAuction",
        Refused,
        "frames follow the tuples as they come, in the order of their timestamp",
        "start_time",
        "the timestamp here is start_time",
    ),
    (
        "SELECT sum(price) OVER (ORDER BY start_time, price) FROM OpenAuction",
        Refused,
        "frames follow the tuples as they come, in the order of their timestamp",
        "price",
        "the timestamp here is start_time",
    ),
    (
        "SELECT sum(price) OVER (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM Bid",
        Refused,
        "a frame ends with the tuple itself: what follows has not come yet",
        "sum(price) OVER (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
        "write RANGE 10 MINUTES PRECEDING or ROWS 9 PRECEDING",
    ),
    (
        "SELECT sum(price) OVER (ROWS BETWEEN 5 PRECEDING AND 1 PRECEDING) FROM Bid",
        ParseError,
        "expected CURRENT ROW, found '1'",
        "1",
        None,
    ),
    (
        "SELECT sum(price) OVER (RANGE 1 MINUTE PRECEDING) FROM Bid [RANGE 1 MINUTE]",
        Refused,
        "OVER follows tuples as they come, and those of Bid stop counting again",
        "sum(price)",
        "leave the window in FROM out: the frame in OVER tells how far back to look",
    ),
    (
        "SELECT sum(price) OVER (ROWS 3 PRECEDING SLIDE 2) FROM Bid [RANGE 1 MINUTE]",
        Refused,
        "a frame with SLIDE or ACTIVE EXPIRATION follows the tuples of a stream as they come",
        "ROWS 3 PRECEDING SLIDE 2",
        "leave it out, or the window in FROM",
    ),
    (
        "SELECT sum(itemID) OVER (RANGE 1 MINUTE PRECEDING) FROM Item",
        Refused,
        "OVER follows tuples as they come, and those of Item stop counting again",
        "sum(itemID)",
        "rows have no timestamp here: say OVER (ORDER BY column RANGE …)",
    ),
    (
        "SELECT sum(itemID) OVER (ROWS 3 PRECEDING SLIDE 2) FROM Item",
        Refused,
        "a frame with SLIDE or ACTIVE EXPIRATION follows the tuples of a stream as they come",
        "ROWS 3 PRECEDING SLIDE 2",
        "leave it out",
    ),
    (
        "SELECT sum(price) OVER (ROWS 1 PRECEDING), count(*) FROM Bid",
        Refused,
        "OVER is of tuples as they come, and here they are grouped",
        "SELECT sum(price) OVER (ROWS 1 PRECEDING), count(*) FROM Bid",
        "group in a query in FROM, or write OVER for each aggregate",
    ),
    (
        "SELECT sum(price) OVER (ROWS 1 PRECEDING) AS s FROM Bid WHERE s > 1",
        Refused,
        "OVER has its place in the SELECT list alone",
        "sum(price)",
        "compute it in a query in FROM, and use its column here",
    ),
    (
        "SELECT median(price) OVER (RANGE UNBOUNDED PRECEDING) FROM Bid",
        Refused,
        "median() would keep all tuples of Bid for ever",
        "median(price)",
        "let the frame end, as RANGE 10 MINUTES PRECEDING, or SET allow_unbounded = true",
    ),
    (
        "SELECT myavg(DISTINCT price) OVER (ROWS UNBOUNDED PRECEDING) FROM Bid",
        Refused,
        "myavg() would keep all tuples of Bid for ever",
        "myavg(DISTINCT price)",
        "let the frame end, as RANGE 10 MINUTES PRECEDING, or SET allow_unbounded = true",
    ),
    (
        "SELECT abs(price) OVER (ROWS 1 PRECEDING) FROM Bid",
        Refused,
        "abs() is no aggregate, and OVER takes one",
        "abs(price)",
        "write an aggregate, as sum(x) OVER (ROWS 9 PRECEDING)",
    ),
    (
        "SELECT sums(price) OVER (ROWS 1 PRECEDING) FROM Bid",
        UnknownName,
        "there is no function 'sums'",
        "sums(price)",
        "did you mean sum?",
    ),
    (
        "SELECT sum(start_time) OVER (ROWS 1 PRECEDING) FROM OpenAuction",
        TypeMismatch,
        "nothing computes sum(TIMESTAMP)",
        "sum(start_time)",
        "an explicit CAST may help",
    ),
    (
        "SELECT sum(price) FILTER (WHERE itemID) OVER (ROWS 1 PRECEDING) FROM Bid",
        TypeMismatch,
        "FILTER takes a condition, and this has type INTEGER",
        "itemID",
        "compare it with something",
    ),
    (
        "SELECT lead(price) OVER (ROWS 1 PRECEDING) FROM Bid",
        Refused,
        f"lead() {_AHEAD}",
        "lead(price)",
        "lag(x) looks back",
    ),
    (
        "SELECT ntile(4) OVER (ORDER BY start_time) FROM OpenAuction",
        Refused,
        f"ntile() {_AHEAD}",
        "ntile(4)",
        _NUMBERS,
    ),
    (
        "SELECT rank() OVER (ORDER BY start_time) FROM OpenAuction",
        Refused,
        "ranks by the timestamp are not computed",
        "rank()",
        _NUMBERS,
    ),
    (
        "SELECT lag(price, itemID) OVER (ORDER BY start_time) FROM OpenAuction",
        Refused,
        "lag() takes a number of tuples to look back",
        "itemID",
        "as in lag(x, 2)",
    ),
    (
        "SELECT row_number() OVER (ROWS 9 PRECEDING SLIDE 10) FROM Bid",
        Refused,
        "SLIDE and ACTIVE EXPIRATION are of aggregates, and this function has no frame",
        "row_number()",
        "leave the frame out",
    ),
    (
        "SELECT lag(price IGNORE NULLS) OVER () FROM Bid",
        Refused,
        "FILTER and IGNORE NULLS are of aggregates, and this function counts all tuples",
        "lag(price IGNORE NULLS)",
        "choose the tuples in a query in FROM",
    ),
]


@pytest.mark.parametrize(
    ("text", "kind", "message", "under", "hint"), FAILURES, ids=[f[0] for f in FAILURES]
)
def test_refuses(
    fails: Callable[[str], object],
    text: str,
    kind: type[StatementError],
    message: str,
    under: str,
    hint: str | None,
) -> None:
    assert fails(text) == (kind, message, under, hint)
