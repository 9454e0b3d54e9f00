"""What cannot be asked in WHERE, and why."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import Refused, StatementError, TypeMismatch, UnknownName

pytestmark = pytest.mark.usefixtures("furnished")

_WINDOW = "give it a window, as {0} [RANGE 10 MINUTES], or SET allow_unbounded = true"
_NOT_INTERNAL = "leave INTERNAL out; Istream(…) around the SELECT list makes the answer a stream"
_STAYS = "INTERNAL lets results of {0} stay, but whether a tuple has a partner does not stay the same"

FAILURES = [
    (
        "SELECT price FROM Bid WHERE itemID IN (SELECT itemID FROM OpenAuction [NOW])",
        Refused,
        "this would keep all tuples of Bid for ever",
        "Bid",
        _WINDOW.format("Bid"),
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE NOT EXISTS (SELECT 1 FROM OpenAuction AS o)",
        Refused,
        "this would keep all tuples of o for ever",
        "OpenAuction AS o",
        _WINDOW.format("o"),
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE itemID NOT IN (SELECT itemID FROM OpenAuction [UNBOUNDED])",
        Refused,
        "this would keep all tuples of OpenAuction for ever",
        "OpenAuction",
        _WINDOW.format("OpenAuction"),
    ),
    (
        "SELECT price FROM Bid [NOW INTERNAL] WHERE NOT EXISTS (SELECT 1 FROM OpenAuction [NOW])",
        Refused,
        _STAYS.format("Bid"),
        "Bid",
        _NOT_INTERNAL,
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE itemID IN (SELECT itemID FROM OpenAuction [NOW INTERNAL])",
        Refused,
        _STAYS.format("OpenAuction"),
        "OpenAuction",
        _NOT_INTERNAL,
    ),
    (
        "SELECT price FROM Bid [NOW INTERNAL] ANTI JOIN OpenAuction [NOW] USING (itemID)",
        Refused,
        _STAYS.format("Bid"),
        "Bid",
        _NOT_INTERNAL,
    ),
    (
        "SELECT price FROM Bid WHERE itemID NOT IN (SELECT itemID FROM Item)",
        Refused,
        "updates of Item reach back to all tuples of Bid, which has no end",
        "Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or CREATE NRR Item: its updates never reach back",
    ),
    (
        "SELECT city FROM Seller WHERE EXISTS (SELECT 1 FROM Bid [NOW] WHERE bidderID = id)",
        Refused,
        "Seller answers tuples as they come, and cannot take them back",
        "Seller",
        "join it with the stream itself in a query in FROM, below what takes results back",
    ),
    (
        "SELECT price FROM Bid [ROWS 5] WHERE bidderID NOT IN (SELECT id FROM Seller)",
        Refused,
        "Seller answers tuples as they come, and cannot take them back",
        "Seller",
        "join it with the stream itself in a query in FROM, below what takes results back",
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE itemID IN (SELECT itemID, price FROM OpenAuction [NOW])",
        Refused,
        "this query gives 2 columns, to compare with 1 value",
        "SELECT itemID, price FROM OpenAuction",
        "compare as many values as it gives",
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE (itemID, price) NOT IN (SELECT itemID FROM OpenAuction [NOW])",
        Refused,
        "this query gives 1 column, to compare with 2 values",
        "SELECT itemID FROM OpenAuction",
        "compare as many values as it gives",
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE itemID = ANY (SELECT sellerID FROM OpenAuction [NOW])",
        TypeMismatch,
        "nothing compares INTEGER with VARCHAR",
        "itemID",
        "CAST one to the type of the other",
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE EXISTS (SELECT seller FROM OpenAuction [NOW])",
        UnknownName,
        "there is no column 'seller'",
        "seller",
        "did you mean sellerID?",
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE EXISTS (FROM OpenAuction [NOW] AS o WHERE o.itemID = b.itemID)",
        UnknownName,
        "there is no 'b' in FROM",
        "b",
        "FROM names: o",
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE EXISTS (SELECT 1 FROM OpenAuction [NOW] AS o WHERE o.itemID)",
        TypeMismatch,
        "WHERE takes a condition, and this has type INTEGER",
        "o.itemID",
        "compare it with something",
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE EXISTS (SELECT 1 FROM Auction [NOW])",
        UnknownName,
        "there is no stream or table 'Auction'",
        "Auction",
        "did you mean OpenAuction?",
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


def test_a_qualifier_is_the_stream_around_where_the_column_of_that_name_has_no_fields(
    run: Callable[[str], None],
) -> None:
    run(
        "CREATE STREAM T (v int); CREATE STREAM U (t timestamp, w int) ORDER BY t;"
        "SELECT v FROM T [NOW] WHERE EXISTS (SELECT 1 FROM U [NOW] WHERE w = T.v)"
    )
