"""What it takes to read, bind and plan queries, beside sqlglot's parser, which only reads.

sqlglot knows no windows, so it gets the same text without them. Constants differ from one text to the
next: nothing is remembered of a text that was seen before.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable, Iterator
from functools import partial

import sqlglot

from bench.harness import Bound, Measurement, Scale, benchmark, measure
from windrow.catalog import Catalog
from windrow.language import bind, define, inserted, parse
from windrow.language.statements import CreateRelation, CreateStream, InsertValues, QueryStatement
from windrow.plan.choosing import choose
from windrow.plan.stages import compile_plan

DECLARED = """
    CREATE STREAM OpenAuction (itemID INT, sellerID VARCHAR, price REAL, seen TIMESTAMP) ORDER BY seen;
    CREATE STREAM Bid (itemID INT, bidderID VARCHAR, price REAL, seen TIMESTAMP) ORDER BY seen;
    CREATE STREAM ClosedAuction (itemID INT, buyerID VARCHAR, seen TIMESTAMP) ORDER BY seen;
"""
TEN_LINES = """
SELECT b.itemID, o.sellerID, count(*) AS bids, max(b.price) AS highest,
    avg(b.price - o.price) AS above,
    count(DISTINCT lower(b.bidderID)) AS bidders
FROM Bid [RANGE 10 MINUTES] AS b, OpenAuction [RANGE 1 HOUR] AS o
WHERE b.itemID = o.itemID
    AND b.price > {number} * o.price
    AND NOT EXISTS (SELECT * FROM ClosedAuction [RANGE 1 HOUR] AS c
        WHERE c.itemID = b.itemID)
GROUP BY b.itemID, o.sellerID
HAVING count(*) > {number}
"""
STATEMENTS = (
    "CREATE STREAM s{number} (a INT, b VARCHAR, t TIMESTAMP) ORDER BY t",
    "CREATE TABLE r{number} (a INT PRIMARY KEY, b VARCHAR, c DOUBLE)",
    "INSERT INTO Bid VALUES ({number}, 'x', 1.5, '2026-01-01 12:00:00')",
    "SELECT itemID, price * {number} AS p, upper(bidderID) AS b FROM Bid WHERE price > {number}",
    "SELECT itemID, sum(price + {number}) AS s FROM Bid [RANGE 5 MINUTES SLIDE 1 MINUTE] GROUP BY itemID",
    "SELECT b.itemID, o.price FROM Bid [ROWS 100] AS b, OpenAuction [RANGE 1 HOUR] AS o "
    "WHERE b.itemID = o.itemID AND o.price < {number}",
    "SELECT itemID, seen FROM Bid WHERE price = {number} UNION ALL SELECT itemID, seen FROM OpenAuction",
    "SELECT * FROM Bid [RANGE 1 HOUR] WHERE itemID NOT IN (SELECT itemID FROM ClosedAuction [NOW])",
    "SELECT x.b FROM (SELECT bidderID AS b, price FROM Bid WHERE price < {number}) AS x WHERE x.price > 1",
    "SELECT CASE WHEN price > {number} THEN 'dear' ELSE 'cheap' END AS c, count(*) FROM Bid [NOW] "
    "GROUP BY c",
)
_WINDOW = re.compile(r"\[[A-Z0-9 ]+\]")


@benchmark("planning")
def planning(scale: Scale) -> Iterator[Measurement]:
    """A query of ten lines, and a script of 1,000 statements."""
    numbers = itertools.count(1)
    yield measure(
        "a query of ten lines",
        {
            "windrow: parse, bind, plan": partial(_planned, lambda: _query(numbers)),
            "sqlglot: parse": partial(_parsed, lambda: _query(numbers)),
        },
        work=1,
        unit="queries",
        rounds=scale.size(40, 5),
        bounds=[
            Bound("windrow: parse, bind, plan", by="time", at_most=0.020),
            Bound("windrow: parse, bind, plan", "sqlglot: parse", by="time"),
        ],
        remark="a join, a negation and a group, all over windows",
    )
    count = scale.size(1_000, 50)
    yield measure(
        f"a script of {count:,} statements",
        {
            "windrow: parse, bind, plan": partial(_planned, lambda: _script(numbers, count)),
            "sqlglot: parse": partial(_parsed, lambda: _script(numbers, count)),
        },
        work=count,
        unit="statements",
        rounds=scale.rounds,
        bounds=[
            Bound("windrow: parse, bind, plan", by="time", at_most=5.0),
            Bound("windrow: parse, bind, plan", "sqlglot: parse", by="time"),
        ],
        remark="declarations, insertions and queries in turns",
    )


def _query(numbers: Iterator[int]) -> str:
    return TEN_LINES.format(number=next(numbers))


def _script(numbers: Iterator[int], count: int) -> str:
    forms = itertools.islice(itertools.cycle(STATEMENTS), count)
    return ";\n".join(form.format(number=next(numbers)) for form in forms)


def _planned(write: Callable[[], str]) -> float:
    text, catalog = write(), Catalog()
    for statement in parse(DECLARED):
        assert isinstance(statement, CreateStream)
        catalog.add(define(statement, catalog))
    began = time.perf_counter()
    for statement in parse(text):
        if isinstance(statement, CreateStream | CreateRelation):
            catalog.add(define(statement, catalog))
        elif isinstance(statement, InsertValues):
            inserted(statement, catalog)
        elif isinstance(statement, QueryStatement):
            compile_plan(choose(bind(statement.query, catalog)).plan)
    return time.perf_counter() - began


def _parsed(write: Callable[[], str]) -> float:
    text = _WINDOW.sub("", write())
    text = re.sub(r"CREATE STREAM (.*?\)) ORDER BY \w+", r"CREATE TABLE \1", text)
    began = time.perf_counter()
    sqlglot.parse(text, dialect="duckdb")
    return time.perf_counter() - began
