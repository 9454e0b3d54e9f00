"""Outputs that have no meaning: Istream and its like, and windows on what they give."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import ParseError, Refused, StatementError
from windrow.language.binder import bind
from windrow.language.parser import parse
from windrow.plan.emitting import ToStream

pytestmark = pytest.mark.usefixtures("furnished")

_TWO = "FROM Bid [RANGE 9 SECONDS SLIDE 3 SECONDS], OpenAuction AS o {0} WHERE Bid.itemID = o.itemID"
_NEWEST = (
    "a window on the output and -restore do not go together: of all that comes at once, which would be"
    " the newest?"
)

FAILURES = [
    (
        "SELECT Dstream(price) FROM Bid",
        Refused,
        "nothing ever leaves this answer, so Dstream would give nothing",
        "Dstream(price)",
        "give the streams windows that end, as [RANGE 10 MINUTES]",
    ),
    (
        "SELECT Dstream(price) FROM Bid [NOW INTERNAL]",
        Refused,
        "nothing ever leaves this answer, so Dstream would give nothing",
        "Dstream(price)",
        "give the streams windows that end, as [RANGE 10 MINUTES]",
    ),
    (
        "SELECT Rstream(price) FROM Bid [UNBOUNDED]",
        Refused,
        "this answer only grows, and Rstream would give all of it at each change",
        "Rstream(price)",
        "give the streams windows, as [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT Istream-restore(o.price) " + _TWO.format("[RANGE 4 SECONDS SLIDE 2 SECONDS]"),
        Refused,
        "the windows of Istream-restore slide by the same length of time,"
        " and these slide by 3 seconds and by 2 seconds",
        "Istream-restore(o.price)",
        "give all of them the same SLIDE",
    ),
    (
        "SELECT Rstream-restore(o.price) " + _TWO.format("[RANGE 9 SECONDS]"),
        Refused,
        "the windows of Rstream-restore slide by the same length of time,"
        " and these slide by 3 seconds and not at all",
        "Rstream-restore(o.price)",
        "give all of them the same SLIDE",
    ),
    (
        "SELECT Rstream-restore(price) FROM Bid [ROWS 10 SLIDE 5]",
        Refused,
        "Rstream-restore tells what came and went between two evaluations,"
        " and this query is evaluated whenever so many tuples have come",
        "Rstream-restore(price)",
        "let windows slide by a length of time, or leave -restore out",
    ),
    (
        "SELECT Wstream-restore(price)[ROWS 5] FROM Bid [RANGE 9 SECONDS SLIDE 3 SECONDS]",
        Refused,
        "Wstream-restore has no meaning: of all that comes at once, which would be the newest?",
        "Wstream-restore(price)[ROWS 5]",
        "leave -restore out, or take Istream-restore or Rstream-restore",
    ),
    (
        "SELECT Istream-restore(price)[ROWS 5] FROM Bid [RANGE 9 SECONDS SLIDE 3 SECONDS]",
        Refused,
        _NEWEST,
        "[ROWS 5]",
        "leave -restore out",
    ),
    (
        "SELECT * FROM (SELECT Rstream-restore(price) FROM Bid [RANGE 4 SECONDS SLIDE 2 SECONDS]) [ROWS 5]",
        Refused,
        _NEWEST,
        "[ROWS 5]",
        "leave -restore out",
    ),
    (
        "CREATE STREAM r AS SELECT Istream-restore(price) FROM Bid [RANGE 4 SECONDS SLIDE 2 SECONDS];"
        "SELECT price + 1 FROM (SELECT * FROM r UNION ALL SELECT price FROM Bid) [RANGE 1 MINUTE]",
        Refused,
        _NEWEST,
        "[RANGE 1 MINUTE]",
        "leave -restore out",
    ),
    (
        "SELECT Rstream-restore(sum(Wstream(sum(price))[ROWS 5])) FROM Bid [NOW SLIDE 3 SECONDS]",
        Refused,
        _NEWEST,
        "[ROWS 5]",
        "leave -restore out",
    ),
    (
        "SELECT Istream(price) FROM Bid [NOW] UNION ALL BY NAME SELECT Istream(price) FROM Bid [NOW]",
        Refused,
        "BY NAME has to see all that counts, and Bid has no end",
        "SELECT Istream(price) FROM Bid",
        "choose a window that ends, as [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT Wstream(price)[ROWS 5 INTERNAL] FROM Bid [NOW]",
        Refused,
        "a window on the output bounds what counts, so it cannot be INTERNAL",
        "[ROWS 5 INTERNAL]",
        "leave INTERNAL out",
    ),
    (
        "SELECT Wstream(price) FROM Bid [NOW]",
        ParseError,
        "Wstream needs a window",
        "Wstream(price)",
        "write it behind the parenthesis, as in Wstream(…)[ROWS 10]",
    ),
    (
        "SELECT price, Istream(itemID) FROM Bid [NOW]",
        ParseError,
        "Istream stands around the whole SELECT list",
        "Istream",
        "as in SELECT Istream(a, b AS c) FROM …",
    ),
    (
        "SELECT Wstream(price)[ROWS 3] + 1 FROM Bid [NOW]",
        ParseError,
        "Wstream stands around the whole SELECT list",
        "Wstream(price)",
        "as in SELECT Wstream(a, b AS c) FROM …",
    ),
    (
        "SELECT sum(Wstream(price, itemID)[ROWS 3]) FROM Bid [NOW]",
        ParseError,
        "Wstream stands around the whole SELECT list",
        "Wstream(price, itemID)",
        "as in SELECT Wstream(a, b AS c) FROM …",
    ),
    (
        "SELECT sum(Wstream(price)[ROWS 3]), max(Wstream(price)[ROWS 4]) FROM Bid [NOW]",
        Refused,
        "one SELECT list has one output, and so one window on it",
        "[ROWS 4]",
        "write two queries, or the inner one as CREATE STREAM … AS",
    ),
    (
        "SELECT itemID, sum(Wstream(sum(price))[ROWS 3]) FROM Bid [NOW] GROUP BY 1",
        Refused,
        "beside Wstream in an aggregate, GROUP BY names its keys",
        "1",
        "as in SELECT k, SUM(Wstream(SUM(a))[ROWS 10]) FROM … GROUP BY k",
    ),
    (
        "SELECT Bid.itemID FROM Bid [NOW INTERNAL] JOIN OpenAuction [NOW] USING (itemID) GROUP BY 1",
        Refused,
        "beside INTERNAL windows, nobody can foresee how long the results of groups last",
        "1",
        "make all windows INTERNAL, or none",
    ),
    (
        "SELECT Bid.price FROM Bid [NOW], (SELECT Istream(itemID) FROM OpenAuction [NOW]) AS o"
        " WHERE o.itemID = Bid.itemID",
        Refused,
        "this would keep all tuples of o for ever",
        "(SELECT Istream(itemID) FROM OpenAuction [NOW]) AS o",
        "give it a window, as o [RANGE 10 MINUTES], or SET allow_unbounded = true",
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


def test_who_wants_it_gets_all_of_an_answer_that_grows(catalog) -> None:
    (statement,) = parse("SELECT Rstream(price) FROM Bid")
    assert isinstance(bind(statement.query, catalog, allow_unbounded=True), ToStream)
