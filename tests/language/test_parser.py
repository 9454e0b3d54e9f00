"""Each statement becomes a dataclass of its own; what is no statement says where it ceases to be one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import ParseError, StatementError
from windrow.language.parser import parse, parse_query
from windrow.language.statements import (
    CreateQuery,
    CreateStream,
    Describe,
    Drop,
    Explain,
    InsertQuery,
    InsertValues,
    QueryStatement,
    SetSetting,
    Show,
)

FAILURES = [
    (
        "SELEC price FROM Bid",
        ParseError,
        "no statement begins with 'SELEC'",
        "SELEC",
        "did you mean SELECT?",
    ),
    (
        "price",
        ParseError,
        "no statement begins with 'price'",
        "price",
        "statements begin with: SELECT, CREATE, INSERT, UPDATE, DELETE, SHOW, DESCRIBE, DROP, EXPLAIN, SET,"
        " SNAPSHOT, ADVANCE, ASSERT",
    ),
    (
        "TRUNCATE Item",
        ParseError,
        "no statement begins with 'TRUNCATE'",
        "TRUNCATE",
        "DELETE FROM a table removes all its rows",
    ),
    (
        "'x'",
        ParseError,
        "no statement begins with ''x''",
        "'x'",
        "statements begin with: SELECT, CREATE, INSERT, UPDATE, DELETE, SHOW, DESCRIBE, DROP, EXPLAIN, SET,"
        " SNAPSHOT, ADVANCE, ASSERT",
    ),
    (
        "CREATE VIEW x",
        ParseError,
        "expected STREAM, TABLE, NRR, QUERY or AGGREGATE, found 'VIEW'",
        "VIEW",
        "CREATE STREAM name AS query names a query",
    ),
    (
        "CREATE",
        ParseError,
        "expected STREAM, TABLE, NRR, QUERY or AGGREGATE, found the end of the statement",
        "",
        None,
    ),
    (
        "DROP VIEW x",
        ParseError,
        "expected STREAM, TABLE, NRR, QUERY or AGGREGATE, found 'VIEW'",
        "VIEW",
        None,
    ),
    (
        "SHOW VIEWS",
        ParseError,
        "expected STREAMS, TABLES, QUERIES, AGGREGATES or SETTINGS, found 'VIEWS'",
        "VIEWS",
        None,
    ),
    ("SET batch_rows", ParseError, "expected '=' or TO, found the end of the statement", "", None),
    ("SET batch_rows 5", ParseError, "expected '=' or TO, found '5'", "5", None),
    ("SET batch_rows =", ParseError, "expected a value, found the end of the statement", "", None),
    ("SET batch_rows = (5)", ParseError, "a setting takes one value", "(5)", "put it in quotes"),
    ("INSERT Bid VALUES (1)", ParseError, "expected INTO, found 'Bid'", "Bid", None),
    (
        "INSERT INTO",
        ParseError,
        "expected a URI in quotes, or the name of a stream or table, found the end of the statement",
        "",
        None,
    ),
    (
        "INSERT INTO 'x:'",
        ParseError,
        "expected a query, found the end of the statement",
        "",
        "a query begins with SELECT",
    ),
    (
        "EXPLAIN",
        ParseError,
        "expected a query, found the end of the statement",
        "",
        "a query begins with SELECT",
    ),
    (
        "EXPLAIN DROP STREAM x",
        ParseError,
        "expected a query, found 'DROP'",
        "DROP",
        "a query begins with SELECT",
    ),
    (
        "DESCRIBE",
        ParseError,
        "expected the name of a stream, table, query or aggregate, found the end of the statement",
        "",
        None,
    ),
    (
        "SHOW STREAMS QUERIES",
        ParseError,
        "expected ';' or the end of the statement, found 'QUERIES'",
        "QUERIES",
        None,
    ),
    ("CREATE QUERY q SELECT price FROM Bid", ParseError, "expected AS, found 'SELECT'", "SELECT", None),
    (
        "DROP STREAM select",
        ParseError,
        "expected the name of a stream, found 'select'",
        "select",
        'as a name it must stand in quotes: "select"',
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


def test_statements_end_with_semicolon_tokens_the_last_one_optional() -> None:
    texts = [
        statement.text for statement in parse("; SELECT ';' FROM s; ; DROP STREAM s /* ; */; SHOW QUERIES")
    ]
    assert texts == ["SELECT ';' FROM s", "DROP STREAM s", "SHOW QUERIES"]


def test_a_text_without_statements_has_none() -> None:
    assert parse(" -- nothing\n ;; ") == []


def test_a_statement_knows_its_line() -> None:
    first, second = parse("SHOW STREAMS;\n  SHOW QUERIES")
    assert (first.span.line, first.span.column) == (1, 1)
    assert (second.span.line, second.span.column) == (2, 3)


@pytest.mark.parametrize("word", ["streams", "tables", "queries", "settings"])
def test_show(word: str) -> None:
    (statement,) = parse(f"SHOW {word}")
    assert isinstance(statement, Show)
    assert statement.what == word


def test_describe_takes_a_dotted_name() -> None:
    (statement,) = parse("DESCRIBE OpenAuction.late")
    assert isinstance(statement, Describe)
    assert statement.name.text == "OpenAuction.late"


@pytest.mark.parametrize(
    ("text", "what", "if_exists"),
    [
        ("DROP STREAM s", "stream", False),
        ("drop query if exists s", "query", True),
        ("DROP TABLE s", "table", False),
        ("DROP nrr IF EXISTS s", "NRR", True),
    ],
)
def test_drop(text: str, what: str, if_exists: bool) -> None:
    (statement,) = parse(text)
    assert isinstance(statement, Drop)
    assert (statement.what, statement.name.text, statement.if_exists) == (what, "s", if_exists)


@pytest.mark.parametrize(
    ("text", "format_"),
    [
        ("EXPLAIN SELECT a FROM s", "text"),
        ("explain text SELECT a FROM s", "text"),
        ("Explain Json SELECT a FROM s", "json"),
        ("EXPLAIN DOT SELECT a FROM s", "dot"),
        ("EXPLAIN DOT (SELECT a FROM s)", "dot"),
    ],
)
def test_explain(text: str, format_: str) -> None:
    (statement,) = parse(text)
    assert isinstance(statement, Explain)
    assert statement.format == format_
    assert statement.query.text.strip("()") == "SELECT a FROM s"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("SET x = 10", "10"),
        ("SET x TO 10", "10"),
        ("SET x = 'ten'", "ten"),
        ("SET x = ten", "ten"),
        ("SET x = 30 seconds", "30 seconds"),
        ("SET x = -1", "-1"),
        ("SET x = 1 MiB", "1 MiB"),
    ],
)
def test_set(text: str, value: str) -> None:
    (statement,) = parse(text)
    assert isinstance(statement, SetSetting)
    assert (statement.name.text, statement.value.text) == ("x", value)


def test_insert_into_a_uri() -> None:
    (statement,) = parse("INSERT INTO 'console:' SELECT a FROM s")
    assert isinstance(statement, InsertQuery)
    assert (statement.uri.text, statement.query.text) == ("console:", "SELECT a FROM s")


def test_insert_into_a_stream() -> None:
    (statement,) = parse("INSERT INTO s (a, b) VALUES (1, 'x'), (2, 'y')")
    assert isinstance(statement, InsertValues)
    assert statement.columns is not None
    assert [name.text for name in statement.columns] == ["a", "b"]
    assert [[value.name for value in row] for row in statement.rows] == [["1", "x"], ["2", "y"]]


def test_create_query() -> None:
    (statement,) = parse("CREATE QUERY IF NOT EXISTS dear AS SELECT a FROM s")
    assert isinstance(statement, CreateQuery)
    assert (statement.name.text, statement.if_not_exists) == ("dear", True)


@pytest.mark.parametrize("text", ["SELECT a FROM s", "FROM s SELECT a", "(SELECT a FROM s)", "FROM s"])
def test_a_query_is_a_statement(text: str) -> None:
    (statement,) = parse(text)
    assert isinstance(statement, QueryStatement)
    assert statement.text == statement.query.text == text


def test_source_may_stand_behind_a_semicolon_as_esl_prints_it() -> None:
    first, second = parse("CREATE STREAM s (a int); SOURCE 'push'; SHOW STREAMS")
    assert isinstance(first, CreateStream)
    assert first.uri is not None
    assert first.uri.text == "push"
    assert isinstance(second, Show)


def test_parse_query_takes_one_query() -> None:
    assert parse_query("SELECT a FROM s;").text == "SELECT a FROM s"


@pytest.mark.parametrize("text", ["", "SHOW STREAMS", "SELECT a FROM s; SELECT b FROM s"])
def test_parse_query_refuses_all_else(text: str) -> None:
    with pytest.raises(ParseError, match="expected"):
        parse_query(text)
