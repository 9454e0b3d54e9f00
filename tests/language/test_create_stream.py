"""CREATE STREAM: columns, and clauses in any order, each at most once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import ParseError, Refused, StatementError, TypeMismatch
from windrow.language.parser import parse
from windrow.language.statements import CreateDerivedStream, CreateStream

FAILURES = [
    (
        "CREATE STREAM",
        ParseError,
        "expected the name of the stream, found the end of the statement",
        "",
        None,
    ),
    (
        "CREATE STREAM s",
        ParseError,
        "expected '(' and columns, or AS and a query, found the end of the statement",
        "",
        None,
    ),
    (
        "CREATE STREAM s (",
        ParseError,
        "expected the name of a column, found the end of the statement",
        "",
        None,
    ),
    ("CREATE STREAM s ()", ParseError, "expected the name of a column, found ')'", ")", None),
    ("CREATE STREAM s (a)", ParseError, "column a has no type", "a", "write a and a type, as in INTEGER"),
    (
        "CREATE STREAM s (a int, b)",
        ParseError,
        "column b has no type",
        "b",
        "write b and a type, as in INTEGER",
    ),
    (
        "CREATE STREAM s (a int NOT NULL)",
        Refused,
        "the columns of a stream take no constraints",
        "NOT",
        "leave it out, and choose tuples with WHERE in a query",
    ),
    (
        "CREATE STREAM s (a int PRIMARY KEY)",
        TypeMismatch,
        "'int PRIMARY KEY' is not a type",
        "int PRIMARY KEY",
        "types are those of DuckDB, as INTEGER or VARCHAR",
    ),
    (
        "CREATE STREAM s (a int b)",
        TypeMismatch,
        "'int b' is not a type",
        "int b",
        "types are those of DuckDB, as INTEGER or VARCHAR",
    ),
    (
        "CREATE STREAM s (order int)",
        ParseError,
        "expected the name of a column, found 'order'",
        "order",
        'as a name it must stand in quotes: "order"',
    ),
    (
        "CREATE STREAM s (a int) SLAK 5 SECONDS",
        ParseError,
        "expected a clause of CREATE STREAM or ';', found 'SLAK'",
        "SLAK",
        "did you mean SLACK?",
    ),
    (
        "CREATE STREAM s (a int) x",
        ParseError,
        "expected a clause of CREATE STREAM or ';', found 'x'",
        "x",
        "clauses are: ORDER BY, SLACK, RETAIN, HEARTBEAT, SOURCE",
    ),
    (
        "CREATE STREAM s (a int) SLACK",
        ParseError,
        "expected a length of time, found the end of the statement",
        "",
        "write a number and a unit, as in 5 SECONDS",
    ),
    (
        "CREATE STREAM s (a int) SLACK 5",
        ParseError,
        "'5' is not a length of time",
        "5",
        "write a number and a unit, as in 5 SECONDS",
    ),
    (
        "CREATE STREAM s (a int) SLACK 5 secnds",
        ParseError,
        "'secnds' is not a unit of time",
        "5 secnds",
        "did you mean SECONDS?",
    ),
    (
        "CREATE STREAM s (a int) SLACK 5 parsecs",
        ParseError,
        "'parsecs' is not a unit of time",
        "5 parsecs",
        "did you mean SECS?",
    ),
    (
        "CREATE STREAM s (a int) RETAIN 2 MONTHS",
        ParseError,
        "'MONTHS' is not a unit of time",
        "2 MONTHS",
        "months and years differ in length: write days",
    ),
    (
        "CREATE STREAM s (a int) RETAIN 0 SECONDS",
        ParseError,
        "a length of time must be more than nothing",
        "0 SECONDS",
        "leave the clause out",
    ),
    (
        "CREATE STREAM s (a int) HEARTBEAT -2 SECONDS",
        ParseError,
        "expected a length of time, found '-'",
        "-",
        "write a number and a unit, as in 5 SECONDS",
    ),
    (
        "CREATE STREAM s (a int) RETAIN 1 DAY RETAIN 2 DAYS",
        ParseError,
        "RETAIN stands here a second time",
        "RETAIN",
        "leave one of them out",
    ),
    (
        "CREATE STREAM s (a int) SOURCE push",
        ParseError,
        "expected a URI in quotes, found 'push'",
        "push",
        None,
    ),
    (
        "CREATE STREAM s (a int) ORDER BY",
        ParseError,
        "expected the name of the timestamp column, found the end of the statement",
        "",
        None,
    ),
    (
        "CREATE STREAM s (a int) AS SELECT price FROM Bid",
        ParseError,
        "the columns of a derived stream take their types from its query",
        "int",
        "leave the type out, or CAST in the query",
    ),
    (
        "CREATE STREAM s (a int, b int); SOURC 'push'",
        ParseError,
        "no statement begins with 'SOURC'",
        "SOURC",
        "statements begin with: SELECT, CREATE, INSERT, UPDATE, DELETE, SHOW, DESCRIBE, DROP, EXPLAIN, SET,"
        " SNAPSHOT, ADVANCE, ASSERT",
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


def test_all_clauses_in_any_order() -> None:
    (statement,) = parse(
        """
        CREATE STREAM IF NOT EXISTS s (a int, t timestamp)
            SOURCE 'tcp://:4445' HEARTBEAT 2 SECONDS RETAIN 10 MINUTES SLACK '5 seconds' ORDER BY t
        """
    )
    assert isinstance(statement, CreateStream)
    assert statement.if_not_exists
    assert statement.order_by is not None
    assert statement.order_by.text == "t"
    assert statement.slack is not None
    assert statement.slack.microseconds == 5_000_000
    assert statement.retain is not None
    assert statement.retain.microseconds == 600_000_000
    assert statement.heartbeat is not None
    assert statement.heartbeat.microseconds == 2_000_000
    assert statement.uri is not None
    assert statement.uri.text == "tcp://:4445"


def test_columns_keep_their_types_as_written() -> None:
    (statement,) = parse(
        'CREATE STREAM s (a char(10), "b c" struct(x int, y int[]), current_time timestamp, d bigint)'
    )
    assert isinstance(statement, CreateStream)
    assert [(column.name.text, column.type.text) for column in statement.columns] == [
        ("a", "char(10)"),
        ("b c", "struct(x int, y int[])"),
        ("current_time", "timestamp"),
        ("d", "bigint"),
    ]


@pytest.mark.parametrize(
    ("clause", "microseconds"),
    [
        ("SLACK 5 SECONDS", 5_000_000),
        ("SLACK 1 MINUTE 30 SECONDS", 90_000_000),
        ("SLACK INTERVAL '5' SECONDS", 5_000_000),
        ("SLACK INTERVAL 5 SECONDS", 5_000_000),
        ("SLACK 250ms", 250_000),
    ],
)
def test_lengths_of_time(clause: str, microseconds: int) -> None:
    (statement,) = parse(f"CREATE STREAM s (a int) {clause}")
    assert isinstance(statement, CreateStream)
    assert statement.slack is not None
    assert statement.slack.microseconds == microseconds


def test_a_derived_stream_may_name_its_columns() -> None:
    named, plain = parse(
        "CREATE STREAM d (x, Time) AS SELECT a, t FROM s; CREATE STREAM e AS (SELECT a FROM s)"
    )
    assert isinstance(named, CreateDerivedStream)
    assert named.columns is not None
    assert [name.text for name in named.columns] == ["x", "Time"]
    assert isinstance(plain, CreateDerivedStream)
    assert plain.columns is None
    assert plain.query.text == "(SELECT a FROM s)"


def test_a_name_may_have_hyphens_where_it_is_declared_as_esl_prints_it() -> None:
    (statement,) = parse("CREATE STREAM larceny-in-progress AS (SELECT a FROM s)")
    assert isinstance(statement, CreateDerivedStream)
    assert statement.name.text == "larceny-in-progress"
    with pytest.raises(ParseError) as caught:
        parse("CREATE STREAM larceny -in-progress AS (SELECT a FROM s)")
    assert caught.value.message == "expected '(' and columns, or AS and a query, found '-'"
