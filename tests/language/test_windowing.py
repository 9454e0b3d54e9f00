"""Windows: where they may stand, what they may be of, and which have no meaning."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import ParseError, Refused, StatementError, UnknownName

pytestmark = pytest.mark.usefixtures("furnished")

FAILURES = [
    (
        "SELECT price FROM Bid [FOO 3]",
        ParseError,
        "expected a window, found 'FOO'",
        "FOO",
        "windows are [RANGE 5 MINUTES], [ROWS 100], [PARTITION BY a ROWS 10], [NOW], [UNBOUNDED]",
    ),
    (
        "SELECT price FROM Bid []",
        ParseError,
        "expected a window, found ']'",
        "]",
        "windows are [RANGE 5 MINUTES], [ROWS 100], [PARTITION BY a ROWS 10], [NOW], [UNBOUNDED]",
    ),
    (
        "SELECT price FROM Bid [RANGE 5]",
        ParseError,
        "'5' is not a length of time",
        "5",
        "write a number and a unit, as in 5 SECONDS",
    ),
    (
        "SELECT price FROM Bid [RANGE ten MINUTES]",
        ParseError,
        "expected a length of time, found 'ten'",
        "ten",
        "write a number and a unit, as in 5 SECONDS",
    ),
    (
        "SELECT price FROM Bid [RANGE 5 FORTNIGHTS]",
        ParseError,
        "'FORTNIGHTS' is not a unit of time",
        "5 FORTNIGHTS",
        "units are microsecond, millisecond, second, minute, hour, day",
    ),
    ("SELECT price FROM Bid [ROWS 0]", ParseError, "expected a whole number from 1, found '0'", "0", None),
    (
        "SELECT price FROM Bid [ROWS 1.5]",
        ParseError,
        "expected a whole number from 1, found '1.5'",
        "1.5",
        None,
    ),
    (
        "SELECT price FROM Bid [ROWS ten]",
        ParseError,
        "expected a number of tuples, found 'ten'",
        "ten",
        None,
    ),
    (
        "SELECT price FROM Bid [ROWS 10 SLIDE 5 SECONDS]",
        ParseError,
        "expected ']', found 'SECONDS'",
        "SECONDS",
        "a window of a number of tuples slides by a number of tuples",
    ),
    (
        "SELECT price FROM Bid [RANGE 10 SECONDS SLIDE 5]",
        ParseError,
        "'5' is not a length of time",
        "5",
        "write a number and a unit, as in 5 SECONDS",
    ),
    (
        "SELECT price FROM Bid [PARTITION BY itemID RANGE 5 MINUTES]",
        ParseError,
        "expected ROWS, found 'RANGE'",
        "RANGE",
        "only a window of a number of tuples is partitioned",
    ),
    (
        "SELECT price FROM Bid [PARTITION BY item ROWS 5]",
        UnknownName,
        "there is no column 'item'",
        "item",
        "did you mean itemID?",
    ),
    (
        "SELECT price FROM Bid [PARTITION BY Bod.itemID ROWS 5]",
        UnknownName,
        "there is no column 'Bod.itemID'",
        "Bod.itemID",
        "did you mean itemID?",
    ),
    (
        "SELECT price FROM Bid [RANGE 14 MINUTES SLIDE 3 MINUTES]",
        Refused,
        "a slide of 3 minutes does not divide a window of 14 minutes",
        "[RANGE 14 MINUTES SLIDE 3 MINUTES]",
        "choose a slide that divides 14 minutes, or write WINDOW instead of RANGE if it shall be uneven",
    ),
    (
        "SELECT price FROM Bid [ROWS 10 SLIDE 3]",
        Refused,
        "a slide of 3 tuples does not divide a window of 10 tuples",
        "[ROWS 10 SLIDE 3]",
        "choose a slide that divides 10 tuples",
    ),
    (
        "SELECT price FROM Bid [NOW INTERNAL INTERNAL]",
        ParseError,
        "expected ']', found 'INTERNAL'",
        "INTERNAL",
        None,
    ),
    (
        "SELECT price FROM Bid [RANGE 5 MINUTES",
        ParseError,
        "expected ']', found the end of the statement",
        "",
        None,
    ),
    (
        "SELECT price FROM Bid [NOW] [ROWS 3]",
        ParseError,
        "a second window for the same tuples",
        "[",
        "put a query around the first, and the second behind that",
    ),
    (
        "SELECT price [RANGE 5 MINUTES] FROM Bid",
        ParseError,
        "a window stands behind a stream or a query in FROM",
        "[",
        "as in FROM S [RANGE 5 MINUTES]",
    ),
    (
        "SELECT price FROM Bid WHERE price > 3 [ROWS 5]",
        ParseError,
        "a window stands behind a stream or a query in FROM",
        "[",
        "as in FROM S [RANGE 5 MINUTES]",
    ),
    (
        "SELECT price FROM range(5) [ROWS 3]",
        Refused,
        "FROM names a stream or holds a query",
        "range(5)",
        "declare a source with CREATE STREAM",
    ),
    (
        "SELECT a.price FROM (Bid AS a [NOW] JOIN Bid AS b [NOW] ON true) [ROWS 5]",
        Refused,
        "a join in parentheses has no name and no window of its own",
        "SELECT a.price FROM (Bid AS a [NOW] JOIN Bid AS b",
        "put a query into the parentheses: (SELECT * FROM …)",
    ),
    (
        "SELECT name FROM Item [RANGE 5 MINUTES]",
        Refused,
        "Item reads tables, whose rows have no time: there is no window on them",
        "[RANGE 5 MINUTES]",
        "leave the window out",
    ),
    (
        "SELECT price FROM (SELECT price FROM Bid [RANGE 1 MINUTE]) AS q [ROWS 5]",
        Refused,
        "the results of this query expire by themselves, and a window is of a stream",
        "[ROWS 5]",
        "make the windows inside INTERNAL, or write Istream(…) around the SELECT list",
    ),
    (
        "SELECT price FROM (SELECT price FROM Bid [ROWS 5]) [ROWS 5]",
        Refused,
        "the results of this query expire by themselves, and a window is of a stream",
        "[ROWS 5]",
        "make the windows inside INTERNAL, or write Istream(…) around the SELECT list",
    ),
    (
        "SELECT total FROM (SELECT sum(price) AS total FROM Bid [RANGE 1 MINUTE]) AS q [ROWS 5]",
        Refused,
        "this query is one value that changes, so a window would hold no more than that",
        "[ROWS 5]",
        "make the window inside INTERNAL: then each value stays",
    ),
    (
        "SELECT Bid.price FROM Bid [ROWS 5 INTERNAL] JOIN ClosedAuction AS c [ROWS 5] USING (itemID)",
        Refused,
        "beside INTERNAL windows, nobody can foresee when tuples leave a window of a number of them",
        "[ROWS 5]",
        "make all windows INTERNAL, or this one a window of time",
    ),
    (
        "SELECT a.price FROM Bid AS a [NOW INTERNAL], (SELECT count(*) FROM Bid [NOW]) AS b",
        Refused,
        "beside INTERNAL windows, nobody can foresee how long the results of this query last",
        "(SELECT count(*) FROM Bid [NOW]) AS b",
        "make all windows INTERNAL, or this one a window of time",
    ),
    (
        "SELECT price FROM Bid [NOW INTERNAL] JOIN Item ON Bid.itemID = Item.itemID",
        Refused,
        "beside INTERNAL windows, nobody can foresee how long the results of Item last",
        "Item",
        "leave INTERNAL out, or CREATE NRR Item: its updates never reach back",
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
