"""Joins that have no meaning, or would remember a stream for ever, are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import Refused, StatementError, TypeMismatch, UnknownName

pytestmark = pytest.mark.usefixtures("furnished")

FAILURES = [
    (
        "SELECT Bid.price FROM Bid, OpenAuction [NOW] WHERE Bid.itemID = OpenAuction.itemID",
        Refused,
        "this would keep all tuples of Bid for ever",
        "Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT Bid.price FROM Bid [NOW] LEFT JOIN OpenAuction ON Bid.itemID = OpenAuction.itemID",
        Refused,
        "this would keep all tuples of OpenAuction for ever",
        "OpenAuction",
        "give it a window, as OpenAuction [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT Bid.price FROM Bid [UNBOUNDED] JOIN OpenAuction [NOW] USING (itemID)",
        Refused,
        "this would keep all tuples of Bid for ever",
        "Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT price FROM Bid JOIN Item ON Bid.itemID = Item.itemID",
        Refused,
        "updates of Item reach back to all tuples of Bid, which has no end",
        "Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or CREATE NRR Item: its updates never reach back",
    ),
    (
        "SELECT price, city FROM Bid [ROWS 5] JOIN Seller ON bidderID = city",
        Refused,
        "Seller answers tuples as they come, and cannot take them back",
        "Seller",
        "join it with the stream itself in a query in FROM, below what takes results back",
    ),
    (
        "SELECT n, city FROM (SELECT bidderID, count(*) AS n FROM Bid [NOW] GROUP BY bidderID) AS g"
        " JOIN Seller ON bidderID = id",
        Refused,
        "Seller answers tuples as they come, and cannot take them back",
        "Seller",
        "join it with the stream itself in a query in FROM, below what takes results back",
    ),
    (
        "SELECT price, city FROM Bid [NOW] FULL JOIN Seller ON bidderID = id",
        Refused,
        "Seller answers tuples as they come, and cannot take them back",
        "Seller",
        "join it with the stream itself in a query in FROM, below what takes results back",
    ),
    (
        "SELECT price, city FROM Seller LEFT JOIN Bid [NOW] ON bidderID = id",
        Refused,
        "Seller answers tuples as they come, and cannot take them back",
        "Seller",
        "join it with the stream itself in a query in FROM, below what takes results back",
    ),
    (
        "SELECT price, city FROM Bid [NOW] RIGHT JOIN Seller ON bidderID = id",
        Refused,
        "Seller answers tuples as they come, and cannot take them back",
        "Seller",
        "join it with the stream itself in a query in FROM, below what takes results back",
    ),
    (
        "SELECT price FROM Bid LEFT JOIN Item ON Bid.itemID = Item.itemID",
        Refused,
        "updates of Item reach back to all tuples of Bid, which has no end",
        "Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or CREATE NRR Item: its updates never reach back",
    ),
    (
        "SELECT price FROM Bid, Item AS i, Item AS k WHERE Bid.itemID = i.itemID AND i.name = k.name",
        Refused,
        "updates of i reach back to all tuples of Bid, which has no end",
        "Bid",
        "give it a window, as Bid [RANGE 10 MINUTES], or CREATE NRR Item: its updates never reach back",
    ),
    (
        "SELECT price FROM Bid [NOW] WHERE price > 1 OR bidderID IN (SELECT id FROM Seller)",
        Refused,
        "a query in WHERE under OR or within an expression is computed anew over all that counts,"
        " and tuples see Seller as it was when they came",
        "Seller",
        "join it with the stream in a query of WITH, or declare it with CREATE TABLE",
    ),
    (
        "SELECT Bid.price FROM Bid [NOW], Bid [ROWS 5]",
        Refused,
        "FROM names two relations Bid",
        "Bid",
        "give one of them another name with AS",
    ),
    (
        "SELECT price FROM Bid [NOW] JOIN OpenAuction [NOW] USING (itemID)",
        UnknownName,
        "column 'price' could be Bid.price or OpenAuction.price",
        "price",
        "write the one that you mean with its stream's name",
    ),
    (
        "SELECT Bid.price FROM Bid [NOW] JOIN OpenAuction [NOW] USING (bidderID)",
        UnknownName,
        "USING names 'bidderID', which only one side of the join has",
        "bidderID",
        "the other has: itemID, sellerID, price, start_time",
    ),
    (
        "SELECT Bid.price FROM Bid [NOW] JOIN OpenAuction [NOW] ON Bid.itemID",
        TypeMismatch,
        "ON takes a condition, and this has type INTEGER",
        "Bid.itemID",
        "compare it with something",
    ),
    (
        "SELECT Bid.price FROM Bid [NOW] JOIN OpenAuction [NOW] ON Bid.itemID = Auction.itemID",
        UnknownName,
        "there is no 'Auction' in FROM",
        "Auction",
        "did you mean OpenAuction?",
    ),
    (
        "SELECT Bid.price FROM Bid [NOW] JOIN OpenAuction [NOW] ON count(*) > 3",
        Refused,
        "an aggregate has no place here: this sees one tuple at a time",
        "count(*)",
        "conditions on aggregates stand in HAVING",
    ),
    (
        "SELECT x.price FROM (Bid [NOW] JOIN Item ON Bid.itemID = Item.itemID) AS x",
        Refused,
        "a join in parentheses has no name and no window of its own",
        "SELECT x.price FROM (Bid [NOW] JOIN Item ON Bid.itemID = Item.itemID) AS x",
        "put a query into the parentheses: (SELECT * FROM …)",
    ),
    (
        "SELECT * FROM Bid [NOW], Auction [NOW]",
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
