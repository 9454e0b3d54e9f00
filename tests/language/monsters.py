"""Texts that nest or repeat one construct of the language as often as fits."""

from __future__ import annotations

from collections.abc import Iterator

NESTED = {
    "parentheses": ("SELECT ", "(", "price", ")", " FROM Bid"),
    "lists": ("SELECT ", "[", "price", "]", " FROM Bid"),
    "structs": ("SELECT ", "{'a': ", "price", "}", " FROM Bid"),
    "calls": ("SELECT ", "abs(", "price", ")", " FROM Bid"),
    "casts": ("SELECT ", "CAST(", "price", " AS REAL)", " FROM Bid"),
    "cases": ("SELECT ", "CASE WHEN true THEN ", "price", " END", " FROM Bid"),
    "cases of cases": ("SELECT ", "CASE ", "price", " WHEN 1 THEN 2 END", " FROM Bid"),
    "negations": ("SELECT price FROM Bid WHERE ", "NOT (", "price > 1", ")", ""),
    "nots": ("SELECT price FROM Bid WHERE ", "NOT ", "price > 1", "", ""),
    "minuses": ("SELECT ", "- ", "price", "", " FROM Bid"),
    "lambdas": ("SELECT ", "list_transform([1], v -> ", "1", ")", " FROM Bid"),
    "comprehensions": ("SELECT ", "[v FOR v IN ", "[1]", "]", " FROM Bid"),
    "queries in FROM": ("SELECT price FROM ", "(SELECT price FROM ", "Bid", ")", ""),
    "windows of queries": ("SELECT price FROM ", "(SELECT price FROM ", "Bid", ") [ROWS 5]", ""),
    "queries in parentheses": ("", "(", "SELECT price FROM Bid", ")", ""),
    "EXISTS": (
        "SELECT price FROM Bid [NOW] WHERE ",
        "EXISTS (SELECT 1 FROM Bid [NOW] WHERE ",
        "price > 1",
        ")",
        "",
    ),
    "NOT IN": (
        "SELECT price FROM Bid [NOW] WHERE ",
        "price NOT IN (SELECT price FROM Bid [NOW] WHERE ",
        "price > 1",
        ")",
        "",
    ),
    "scalar queries": ("SELECT ", "(SELECT ", "max(price)", " FROM Bid [NOW])", " FROM Bid"),
    "outputs": ("", "SELECT Rstream(*) FROM (", "SELECT price FROM Bid [NOW]", ")", ""),
    "output windows": ("SELECT ", "SUM(Wstream(", "SUM(price)", ")[ROWS 5])", " FROM Bid [ROWS 5]"),
    "WITH": ("", "WITH w AS (", "SELECT price FROM Bid", ") SELECT * FROM w", ""),
    "joins in parentheses": ("SELECT price FROM ", "(Bid [NOW] JOIN ", "Bid [NOW]", " USING (price))", ""),
    "groups of groups": ("", "SELECT max(n) FROM (", "SELECT count(*) AS n FROM Bid [NOW]", ")", ""),
    "types": ("CREATE STREAM s (a ", "STRUCT(x ", "INT", ")", ")"),
    "lists of types": ("CREATE STREAM s (a INT", "[]", "", "", ")"),
    "EXPLAIN": ("", "EXPLAIN ", "SELECT price FROM Bid", "", ""),
    "asserted errors": ("", "ASSERT ERROR 'x' FOR ", "SELECT price FROM Bid", "", ""),
    "braces": ("CREATE AGGREGATE g(a INT) : INT ", "{", "", "}", ""),
    "bodies": (
        "CREATE AGGREGATE g(a INT) : INT { TABLE t(k INT); INITIALIZE: ITERATE: { DELETE FROM t WHERE ",
        "EXISTS (SELECT k FROM t WHERE ",
        "k > 1",
        ")",
        "; } }",
    ),
    "rows": ("INSERT INTO Bid (itemID) VALUES (", "(", "1", ")", ")"),
    "updates": ("UPDATE Item SET id = ", "(", "id", ")", " WHERE true"),
}
"""What is in front, opens, stands in the middle, closes, and follows."""

REPEATED = {
    "columns": ("SELECT ", "price, ", "price FROM Bid"),
    "aliases": ("SELECT ", "price + 1 AS price, ", "price FROM Bid"),
    "sums": ("SELECT ", "price + ", "price FROM Bid"),
    "powers": ("SELECT ", "price ** ", "price FROM Bid"),
    "comparisons": ("SELECT price FROM Bid WHERE ", "price = ", "price"),
    "ands": ("SELECT price FROM Bid WHERE ", "price > 1 AND ", "true"),
    "ors": ("SELECT price FROM Bid WHERE ", "price > 1 OR ", "true"),
    "betweens": ("SELECT price FROM Bid WHERE ", "price BETWEEN 1 AND 2 AND ", "true"),
    "values": ("SELECT price FROM Bid WHERE price IN (", "1, ", "2)"),
    "casts after": ("SELECT price", "::REAL", " FROM Bid"),
    "brackets after": ("SELECT price", "[1]", " FROM Bid"),
    "dots": ("SELECT Bid", ".price", " FROM Bid"),
    "unions": ("", "SELECT price FROM Bid UNION ALL ", "SELECT price FROM Bid"),
    "unions without ALL": ("", "SELECT bid_time FROM Bid UNION ", "SELECT bid_time FROM Bid"),
    "intersections": ("", "SELECT price FROM Bid [NOW] INTERSECT ", "SELECT price FROM Bid [NOW]"),
    "differences": ("", "SELECT price FROM Bid [NOW] EXCEPT ALL ", "SELECT price FROM Bid [NOW]"),
    "factors": ("SELECT 1 FROM ", "Bid [NOW], ", "Bid [NOW]"),
    "joins": ("SELECT 1 FROM Bid [NOW] ", "JOIN OpenAuction [NOW] USING (itemID) ", ""),
    "outer joins": ("SELECT 1 FROM Bid [NOW] AS x ", "LEFT JOIN Bid [NOW] AS y ON x.price = y.price ", ""),
    "questions": (
        "SELECT price FROM Bid [NOW] WHERE ",
        "itemID IN (SELECT itemID FROM OpenAuction [NOW]) AND ",
        "true",
    ),
    "groups": ("SELECT count(*) FROM Bid [NOW] GROUP BY ", "price, ", "itemID"),
    "aggregates": ("SELECT ", "sum(price), ", "count(*) FROM Bid [NOW]"),
    "frames": ("SELECT ", "sum(price) OVER (ROWS 5 PRECEDING), ", "1 FROM Bid"),
    "orders": ("SELECT price FROM Bid [NOW] ORDER BY ", "price, ", "itemID LIMIT 5"),
    "windows": ("SELECT price FROM Bid ", "[ROWS 5] ", ""),
    "semicolons": ("", ";", "SELECT price FROM Bid"),
    "statements": ("", "SHOW QUERIES; ", "SHOW QUERIES"),
    "queries": ("", "SELECT price FROM Bid; ", "SHOW QUERIES"),
    "columns of streams": ("CREATE STREAM s (", "a INT, ", "t INT)"),
    "actions": (
        "AGGREGATE g(a INT) : INT { INITIALIZE: ITERATE: { ",
        "INSERT INTO RETURN VALUES (a); ",
        "} }",
    ),
    "tables": ("AGGREGATE g(a INT) : INT { ", "TABLE t(k INT); ", "INITIALIZE: ITERATE: { } }"),
    "rows": ("INSERT INTO Bid (itemID) VALUES ", "(1), ", "(2)"),
    "assignments": ("UPDATE Item SET ", "price = 1, ", "price = 2"),
    "comments": ("SELECT ", "/* x */ ", "price FROM Bid"),
    "opened comments": ("SELECT ", "/* ", "price FROM Bid"),
    "quotes": ("SELECT ", "'", " FROM Bid"),
    "spaces": ("SELECT ", " ", "price FROM Bid"),
    "digits": ("SELECT ", "9", " FROM Bid"),
    "letters": ("SELECT ", "x", " FROM Bid"),
    "dashes": ("SELECT price FROM Bid ", "--\n", ""),
}
"""What is in front, is repeated, and follows."""

DOUBLED = {
    "aliases of aliases": ("SELECT price AS w0, ", "w{0} + w{0} AS w{1}, ", "1 FROM Bid"),
    "aliases in a table's query": (
        "INSERT INTO Item SELECT price AS w0, ",
        "w{0} + w{0} AS w{1}, ",
        "1 FROM Item",
    ),
    "aliases in a body": (
        "AGGREGATE g(a INT) : INT { TABLE t(k INT); INITIALIZE: ITERATE: { INSERT INTO t SELECT k AS w0, ",
        "w{0} + w{0} AS w{1}, ",
        "1 FROM t } }",
    ),
    "unions of WITH": (
        "WITH w0 AS (FROM Bid)",
        ", w{1} AS (FROM w{0} UNION ALL FROM w{0})",
        " SELECT price FROM w1",
    ),
    "joins of WITH": (
        "WITH w0 AS (FROM Bid [NOW])",
        ", w{1} AS (SELECT x.price FROM w{0} AS x, w{0} AS y)",
        " FROM w1",
    ),
    "columns of WITH": ("WITH w0 AS (FROM Bid)", ", w{1} AS (SELECT *, * FROM w{0})", " SELECT * FROM w1"),
    "columns of a table's WITH": (
        "INSERT INTO Item WITH w0 AS (FROM Item)",
        ", w{1} AS (SELECT *, * FROM w{0})",
        " SELECT id FROM w1",
    ),
}
"""What is in front, what each time needs twice what was made the time before, and what follows."""


def nested(kind: str, depth: int) -> str:
    before, opening, middle, closing, after = NESTED[kind]
    return f"{before}{opening * depth}{middle}{closing * depth}{after}"


def repeated(kind: str, times: int) -> str:
    before, unit, after = REPEATED[kind]
    return f"{before}{unit * times}{after}"


def doubled(kind: str, times: int) -> str:
    before, unit, after = DOUBLED[kind]
    return f"{before}{''.join(unit.format(number, number + 1) for number in range(times))}{after}"


def chained(times: int) -> str:
    """A join of many, each with the one before."""
    joins = (f" JOIN Bid [NOW] AS x{n} ON x{n - 1}.itemID = x{n}.itemID" for n in range(1, times + 1))
    return f"SELECT 1 FROM Bid [NOW] AS x0{''.join(joins)}"


def monsters(longest: int) -> Iterator[tuple[str, str]]:
    """One of each kind, as long as may be."""
    for kind, (before, opening, middle, closing, after) in NESTED.items():
        room = longest - len(before + middle + after)
        yield f"{kind}, nested", nested(kind, room // len(opening + closing))
    for kind, (before, unit, after) in REPEATED.items():
        yield f"{kind}, repeated", repeated(kind, (longest - len(before + after)) // len(unit))
    for kind, (before, unit, after) in DOUBLED.items():
        yield f"{kind}, doubled", doubled(kind, (longest - len(before + after)) // (len(unit) + 4))
    yield "joins in a chain", chained(longest // 60)
