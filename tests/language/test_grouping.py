"""Aggregates and groups that have no meaning, or no end, are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import Refused, StatementError, TypeMismatch, UnknownName

pytestmark = pytest.mark.usefixtures("furnished")

FAILURES = [
    (
        "SELECT max(price) FROM Bid",
        Refused,
        "max() needs to know the end of its input, and Bid has none",
        "max(price)",
        "give it a window, as Bid [RANGE 10 MINUTES], or write max(…) OVER (RANGE UNBOUNDED PRECEDING)",
    ),
    (
        "SELECT itemID, count(*) FROM Bid GROUP BY itemID",
        Refused,
        "count() needs to know the end of its input, and Bid has none",
        "count(*)",
        "give it a window, as Bid [RANGE 10 MINUTES], or write count(…) OVER (RANGE UNBOUNDED PRECEDING)",
    ),
    (
        "SELECT price FROM Bid GROUP BY price",
        Refused,
        "GROUP BY would keep all groups of Bid for ever",
        "price",
        "give it a window, as Bid [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT myavg(price) FROM Bid",
        Refused,
        "myavg() needs to know the end of its input, and Bid has none",
        "myavg(price)",
        "give it a window, as Bid [RANGE 10 MINUTES], or write myavg(…) OVER (RANGE UNBOUNDED PRECEDING)",
    ),
    (
        "SELECT decay_online_avg(price), count(*) FROM Bid",
        Refused,
        "count() needs to know the end of its input, and Bid has none",
        "count(*)",
        "give it a window, as Bid [RANGE 10 MINUTES], or write count(…) OVER (RANGE UNBOUNDED PRECEDING)",
    ),
    (
        "SELECT itemID, count(*) FROM Bid [UNBOUNDED] GROUP BY itemID",
        Refused,
        "Bid has no end, so its groups would be kept for ever",
        "itemID",
        "choose a window that ends, as [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT median(price) FROM Bid [UNBOUNDED]",
        Refused,
        "median() would keep all tuples of Bid for ever",
        "median(price)",
        "choose a window that ends, as [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT count(DISTINCT price) FROM Bid [UNBOUNDED]",
        Refused,
        "count() would keep all tuples of Bid for ever",
        "count(DISTINCT price)",
        "choose a window that ends, as [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT decay_online_avg(DISTINCT price) FROM Bid",
        Refused,
        "decay_online_avg() would keep all tuples of Bid for ever",
        "decay_online_avg(DISTINCT price)",
        "choose a window that ends, as [RANGE 10 MINUTES], or SET allow_unbounded = true",
    ),
    (
        "SELECT itemID, price FROM Bid [NOW] GROUP BY itemID",
        Refused,
        "column 'price' is neither grouped nor in an aggregate",
        "price",
        "add it to GROUP BY, or take any_value(price)",
    ),
    (
        "SELECT itemID, price + count(*) FROM Bid [NOW] GROUP BY itemID",
        Refused,
        "column 'price' is neither grouped nor in an aggregate",
        "price",
        "add it to GROUP BY, or take any_value(price)",
    ),
    (
        "SELECT * FROM Bid [NOW] GROUP BY itemID",
        Refused,
        "column 'price' is neither grouped nor in an aggregate",
        "*",
        "add it to GROUP BY, or take any_value(price)",
    ),
    (
        "SELECT itemID FROM Bid [NOW] GROUP BY 2",
        Refused,
        "there is no column 2 in the SELECT list",
        "2",
        "they are numbered from 1 to 1",
    ),
    (
        "SELECT itemID FROM Bid [NOW] GROUP BY item",
        UnknownName,
        "there is no column 'item'",
        "item",
        "did you mean itemID?",
    ),
    (
        "SELECT sum(count(*)) FROM Bid [NOW]",
        Refused,
        "an aggregate cannot hold another one",
        "count(*)",
        "aggregate in a query in FROM first",
    ),
    (
        "SELECT itemID FROM Bid [NOW] GROUP BY count(*)",
        Refused,
        "an aggregate has no place here: this sees one tuple at a time",
        "count(*)",
        "conditions on aggregates stand in HAVING",
    ),
    (
        "SELECT itemID FROM Bid [NOW] WHERE count(*) > 3",
        Refused,
        "an aggregate has no place here: this sees one tuple at a time",
        "count(*)",
        "conditions on aggregates stand in HAVING",
    ),
    (
        "SELECT itemID FROM Bid [NOW] GROUP BY itemID HAVING price > 3",
        Refused,
        "column 'price' is neither grouped nor in an aggregate",
        "price",
        "add it to GROUP BY, or take any_value(price)",
    ),
    (
        "SELECT itemID FROM Bid [NOW] GROUP BY itemID HAVING count(*)",
        TypeMismatch,
        "HAVING takes a condition, and this has type BIGINT",
        "count(*)",
        "compare it with something",
    ),
    (
        "SELECT itemID FROM Bid [NOW] HAVING itemID > 3",
        Refused,
        "column 'itemID' is neither grouped nor in an aggregate",
        "itemID",
        "add it to GROUP BY, or take any_value(itemID)",
    ),
    (
        "SELECT sum(bidderID) FROM Bid [NOW]",
        TypeMismatch,
        "nothing computes sum(VARCHAR)",
        "sum(bidderID)",
        "an explicit CAST may help",
    ),
    (
        "SELECT myavg(price, 3) FROM Bid [NOW]",
        TypeMismatch,
        "myavg takes 1 argument, and here are 2",
        "myavg(price, 3)",
        "it is declared as myavg(Next FLOAT)",
    ),
    (
        "SELECT myavg(bid_time) FROM Bid [NOW]",
        TypeMismatch,
        "myavg takes FLOAT here, and this has type TIMESTAMP",
        "bid_time",
        "CAST it to FLOAT",
    ),
    (
        "SELECT myavg(extremes(price)) FROM Bid [NOW]",
        Refused,
        "an aggregate cannot hold another one",
        "extremes(price)",
        "aggregate in a query in FROM first",
    ),
    (
        "SELECT extremes(price) + 1 FROM Bid [NOW]",
        TypeMismatch,
        "nothing computes +(STRUCT(low FLOAT, high FLOAT), INTEGER)",
        "1",
        "an explicit CAST may help",
    ),
    (
        "SELECT itemID, myavg(price) FROM Bid [NOW] GROUP BY ROLLUP (itemID)",
        Refused,
        "GROUP BY with several sets of groups is asked of DuckDB as a whole,"
        " which does not know your myavg()",
        "myavg(price)",
        "call it in a query of WITH, and go on from its results",
    ),
    (
        "CREATE AGGREGATE avg(x real) : real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (x) } };"
        "SELECT price FROM Bid [NOW] WHERE price = 1 OR price > (SELECT avg(price) FROM Bid [ROWS 3])",
        Refused,
        "a query in WHERE under OR or within an expression is asked of DuckDB as a whole,"
        " which does not know your avg()",
        "avg(price)",
        "call it in a query of WITH, and go on from its results",
    ),
    ("SELECT summ(price) FROM Bid [NOW]", UnknownName, "there is no function 'summ'", "summ(price)", None),
    (
        "SELECT sum(random()) FROM Bid [NOW]",
        Refused,
        "random() gives another value each time, so a replay would give other answers",
        "random()",
        "for the time, use the stream's timestamp column",
    ),
    (
        "SELECT sum(*) FROM Bid [NOW]",
        TypeMismatch,
        "nothing computes sum()",
        "sum(*)",
        "an explicit CAST may help",
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
