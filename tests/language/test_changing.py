"""INSERT … SELECT, UPDATE and DELETE: names and types are checked, and told where they stand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import ParseError, Refused, StatementError, TypeMismatch, UnknownName

TABLES = """
CREATE TABLE Item (id INT PRIMARY KEY, name VARCHAR, price REAL, made DATE);
CREATE NRR Company (symbol VARCHAR PRIMARY KEY, title VARCHAR);
CREATE TABLE Log (line VARCHAR);
"""

ALLOWED = [
    "INSERT INTO Item SELECT * FROM Item",
    "INSERT INTO Item (SELECT * FROM Item)",
    "INSERT INTO Item (id, name) (SELECT length(line), line FROM Log -- a comment\n)",
    "INSERT INTO Item (id, name) SELECT count(*), max(line) FROM Log GROUP BY line ORDER BY 1 LIMIT 3",
    "INSERT OR REPLACE INTO Item (id) SELECT * FROM range(10)",
    "INSERT INTO Log WITH x AS (SELECT name AS a FROM item) SELECT a FROM x UNION FROM Log",
    "INSERT INTO Company SELECT title, symbol FROM Company",
    "UPDATE Item SET price = price * 1.1",
    "UPDATE Item SET name = Item.name, price = Item.price WHERE Item.id = 3",
    "UPDATE item SET PRICE = 0, name = upper(name) WHERE id = 3 AND Item.name IS NOT NULL",
    "UPDATE Item SET price = (SELECT max(length(line)) FROM Log), made = now() WHERE id IN (SELECT 1)",
    "DELETE FROM Log",
    "DELETE FROM Item WHERE NOT EXISTS (SELECT 1 FROM Log WHERE line = name) AND id = '3'",
]


@pytest.mark.parametrize("text", ALLOWED)
def test_what_duckdb_can_do_with_tables_is_allowed(run: Callable[[str], None], text: str) -> None:
    run(TABLES + text)


FAILURES = [
    (
        "INSERT INTO Bid SELECT * FROM Item",
        Refused,
        "Bid is a stream, and no table",
        "Bid",
        "INSERT INTO a stream takes VALUES",
    ),
    (
        "INSERT INTO Item SELECT * FROM Bid",
        Refused,
        "Bid is a stream, and no table",
        "Bid",
        "a statement on tables reads tables only",
    ),
    (
        "INSERT INTO Item (id) SELECT id FROM Itm",
        UnknownName,
        "there is no table 'Itm'",
        "Itm",
        "did you mean Item?",
    ),
    (
        "INSERT INTO Item (id, name) SELECT id FROM Item",
        Refused,
        "a query of 1 column for 2 columns",
        "SELECT id FROM Item",
        "the columns are id, name",
    ),
    (
        "INSERT INTO Item (id, nam) SELECT id, name FROM Item",
        UnknownName,
        "there is no column 'nam' to insert into",
        "nam",
        "did you mean name?",
    ),
    (
        "INSERT INTO Item (made) SELECT id FROM Item",
        TypeMismatch,
        "column made is DATE, and nothing casts INTEGER to that",
        "SELECT id FROM Item",
        "cast to another type first",
    ),
    (
        "INSERT INTO Item (id) SELECT idd FROM Item",
        UnknownName,
        "there is no column 'idd'",
        "idd",
        "did you mean id?",
    ),
    (
        "INSERT INTO Item (id) SELECT j.id FROM Item AS i",
        Refused,
        'Referenced table "j" not found',
        "j",
        'Candidate tables: "i"',
    ),
    (
        "INSERT INTO Item (id) SELECT id\nFROM read_csv('x')",
        TypeMismatch,
        'DuckDB refuses this: cannot access file "x" -'
        " file system operations are disabled by configuration",
        "read_csv",
        None,
    ),
    (
        "INSERT INTO Item (id) SELECT lowr(name) FROM Item",
        UnknownName,
        "there is no function 'lowr'",
        "lowr",
        "did you mean lower?",
    ),
    (
        "INSERT INTO Item (id)",
        ParseError,
        "expected VALUES or a query, found the end of the statement",
        "",
        None,
    ),
    (
        "INSERT OR REPLACE INTO Log SELECT name FROM Item",
        Refused,
        "Log has no PRIMARY KEY, so no row takes the place of another",
        "Log",
        "leave OR REPLACE out, or declare the key",
    ),
    (
        "INSERT OR REPLACE INTO Bid VALUES (1)",
        Refused,
        "Bid is a stream: what is on it stays",
        "Bid",
        "leave OR REPLACE out, or insert into a table",
    ),
    (
        "INSERT OR REPLACE INTO 'console:' SELECT 1",
        ParseError,
        "expected the name of a table, found ''console:''",
        "'console:'",
        None,
    ),
    (
        "UPDATE Bid SET price = 1",
        Refused,
        "Bid is a stream, and no table",
        "Bid",
        "what is on a stream stays as it came",
    ),
    ("UPDATE Itm SET price = 1", UnknownName, "there is no table 'Itm'", "Itm", "did you mean Item?"),
    (
        "UPDATE Item SET prize = 1",
        UnknownName,
        "there is no column 'prize' to set",
        "prize",
        "did you mean price?",
    ),
    (
        "UPDATE Item SET price = 1, price = 2",
        Refused,
        "column price is named twice",
        "price",
        "name each column once",
    ),
    (
        "UPDATE Item SET name = 'é', made = id",
        TypeMismatch,
        "column made is DATE, and nothing casts INTEGER to that",
        "id",
        "cast to another type first",
    ),
    (
        "UPDATE Item SET name = 'é', price = prize * 2",
        UnknownName,
        "there is no column 'prize'",
        "prize",
        "did you mean price?",
    ),
    (
        "UPDATE Item SET price = 1 WHERE name",
        TypeMismatch,
        "WHERE takes a condition, and this has type VARCHAR",
        "name",
        "compare it with something",
    ),
    ("UPDATE Item AS i SET price = 1", ParseError, "expected SET, found 'AS'", "AS", None),
    (
        "UPDATE Item SET price = 1 FROM Log",
        Refused,
        "UPDATE takes no FROM here",
        "Log",
        "choose rows with WHERE, in which a query may read other tables",
    ),
    (
        "UPDATE Item SET (price, id) = (1, 2)",
        ParseError,
        "SET takes column = expression",
        "(price, id) = (1, 2)",
        "assign one column after another",
    ),
    (
        "UPDATE Item SET name = upper(name, 'x'),\n item.price = 1 WHERE id = 3",
        ParseError,
        "SET names a column by itself",
        "item.price",
        "write price",
    ),
    (
        'UPDATE Item SET "x".price.y = 1',
        ParseError,
        "SET names a column by itself",
        '"x".price.y',
        "a column is set as a whole",
    ),
    ("UPDATE Item SET price", ParseError, "the statement ends too early, after 'price'", "", None),
    (
        "UPDATE Item SET price = sum(price)",
        Refused,
        "aggregate functions are not allowed in UPDATE",
        "sum",
        None,
    ),
    (
        "DELETE FROM Item WHERE id IN (SELECT itemID FROM Bid)",
        Refused,
        "Bid is a stream, and no table",
        "Bid",
        "a statement on tables reads tables only",
    ),
    (
        "DELETE FROM Item USING Log WHERE line = name",
        ParseError,
        "expected WHERE or ';', found 'USING'",
        "USING",
        None,
    ),
    (
        "CREATE AGGREGATE avg(x real) : real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (x) } };"
        "UPDATE Item SET price = (SELECT avg(price) FROM Item)",
        Refused,
        "statements on tables are asked of DuckDB, which does not know your avg()",
        "avg(price)",
        "ask a query for it: SNAPSHOT SELECT … FROM a table",
    ),
    ("DELETE Item", ParseError, "expected FROM, found 'Item'", "Item", None),
    (
        "DELETE FROM Item WHERE sum(id) > 3",
        Refused,
        "WHERE clause cannot contain aggregates",
        "sum",
        None,
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
    assert fails(TABLES + text) == (kind, message, under, hint)
