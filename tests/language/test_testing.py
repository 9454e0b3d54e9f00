"""ADVANCE and ASSERT, as they are read, and what they name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.language.conftest import Failure
from windrow.catalog import Catalog
from windrow.errors import ParseError, Refused, StatementError, TypeMismatch, UnknownName
from windrow.language.advancing import advanced
from windrow.language.expected import expected_rows
from windrow.language.parser import parse
from windrow.language.statements import AdvanceClock, AdvanceStream, AssertError, AssertRows
from windrow.schema import Field

FIELDS = [Field("item", "INTEGER"), Field("price", "DECIMAL(5,2)"), Field("at", "TIMESTAMP")]


def one(text: str) -> object:
    (statement,) = parse(text)
    return statement


@pytest.mark.parametrize(
    "text", ["ADVANCE Bid TO TIMESTAMP '2026-01-31 12:00:00'", "advance bid to '2026-01-31 12:00'"]
)
def test_a_stream_is_advanced_to_an_instant(catalog: Catalog, text: str) -> None:
    statement = one(text)
    assert isinstance(statement, AdvanceStream)
    stream, clock = advanced(statement, catalog)
    assert (stream.name, clock) == ("Bid", 1_769_860_800_000_000)


def test_the_clock_is_advanced_by_a_length_of_time() -> None:
    statement = one("ADVANCE CLOCK BY 1 MINUTE 30 SECONDS")
    assert isinstance(statement, AdvanceClock)
    assert statement.by.microseconds == 90_000_000


def test_a_stream_may_be_called_clock() -> None:
    statement = one("ADVANCE clock TO '2026-01-31'")
    assert isinstance(statement, AdvanceStream)
    assert statement.stream.text == "clock"


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("Bis TO '2026-01-31'", (UnknownName, "there is no stream 'Bis'", "Bis", "did you mean Bid?")),
        (
            "Dear TO '2026-01-31'",
            (
                Refused,
                "the clock of Dear follows those of the streams that its query reads",
                "Dear",
                "advance those",
            ),
        ),
        (
            "Bid TO 'noon'",
            (TypeMismatch, "'noon' is no instant", "'noon'", "write it like 2026-01-31 12:00:00"),
        ),
        (
            "Bid TO 'infinity'",
            (TypeMismatch, "'infinity' is no instant", "'infinity'", "write it like 2026-01-31 12:00:00"),
        ),
        ("Bid BY 5 SECONDS", (ParseError, "expected TO, found 'BY'", "BY", None)),
        ("Bid TO 5", (ParseError, "expected an instant in quotes, found '5'", "5", None)),
        ("CLOCK BY 'x'", (ParseError, "'x' is not a length of time", "'x'", "write a number and a unit")),
    ],
)
def test_what_cannot_be_advanced(
    run: Callable[[str], None], catalog: Catalog, text: str, failure: Failure
) -> None:
    run("CREATE STREAM Dear AS SELECT itemID FROM Bid")
    with pytest.raises(StatementError) as caught:
        advanced(one(f"ADVANCE {text}"), catalog)  # type: ignore[arg-type]
    span = caught.value.span
    under = span.text[span.column - 1 : span.column - 1 + span.length]
    assert (type(caught.value), caught.value.message, under) == failure[:3]
    assert (caught.value.hint or "").startswith(failure[3] or "")


def test_rows_are_asserted_of_an_answer_or_of_changes() -> None:
    answer, changes, timed, empty = parse(
        "ASSERT ANSWER OF q AS (VALUES (1)); ASSERT CHANGES OF q AS (SELECT 1);"
        "ASSERT CHANGES OF q WITH TIMES AS (VALUES (1)); ASSERT ANSWER OF q IS EMPTY"
    )
    for statement in (answer, changes, timed, empty):
        assert isinstance(statement, AssertRows)
    told = [
        (each.what, each.times, each.rows and each.rows.text) for each in (answer, changes, timed, empty)
    ]  # type: ignore[attr-defined]
    assert told == [
        ("answer", False, "(VALUES (1))"),
        ("changes", False, "(SELECT 1)"),
        ("changes", True, "(VALUES (1))"),
        ("answer", False, None),
    ]


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("ASSERT q", (ParseError, "expected ANSWER, CHANGES or ERROR, found 'q'", "q", None)),
        ("ASSERT ANSWER q", (ParseError, "expected OF, found 'q'", "q", None)),
        (
            "ASSERT ANSWER OF q",
            (ParseError, "expected AS (VALUES …) or IS EMPTY, found the end of the statement", "", None),
        ),
        (
            "ASSERT ANSWER OF q AS VALUES (1)",
            (
                ParseError,
                "expected '(', found 'VALUES'",
                "VALUES",
                "the rows stand in parentheses: AS (VALUES (1, 'a'), …)",
            ),
        ),
        (
            "ASSERT ANSWER OF q WITH TIMES IS EMPTY",
            (ParseError, "expected AS (VALUES …) or IS EMPTY, found 'WITH'", "WITH", None),
        ),
        (
            "ASSERT ERROR ' ' FOR SELECT 1",
            (ParseError, "any message has nothing in it", "' '", "say a part of the message"),
        ),
        (
            "ASSERT ERROR 'x' FOR",
            (ParseError, "expected a statement, found the end of the statement", "", None),
        ),
    ],
)
def test_what_cannot_be_asserted(fails: Callable[[str], Failure], text: str, failure: Failure) -> None:
    assert fails(text) == failure


@pytest.mark.parametrize(
    "wrong",
    [
        "SELEC 1",
        "SELECT lower(itemID FROM Bid",
        "SELECT [1, 2 FROM Bid",
        "CREATE STREAM s (a int) ORDER BY t; SOURCE 'push'",
        "CREATE AGGREGATE a(x int) : int { TABLE t(y int); INITIALIZE: { INSERT INTO t VALUES (x); } }",
    ],
)
def test_a_statement_that_is_to_fail_is_read_when_it_is_its_turn(wrong: str) -> None:
    first, second = parse(f"ASSERT ERROR 'x' FOR {wrong};\nSHOW STREAMS")
    assert isinstance(first, AssertError)
    assert (first.statement.text, second.text) == (wrong, "SHOW STREAMS")


def rows(text: str) -> list[tuple[object, ...]]:
    statement = one(f"ASSERT ANSWER OF q AS ({text})")
    assert isinstance(statement, AssertRows)
    assert statement.rows
    table = expected_rows(statement.rows, FIELDS)
    assert table.column_names == ["item", "price", "at"]
    return [tuple(map(str, row.values())) for row in table.to_pylist()]


@pytest.mark.parametrize(
    "text",
    [
        "VALUES (1, 2.5, '2026-01-31')",
        "VALUES (1, '2.50', TIMESTAMP '2026-01-31 00:00:00')",
        "SELECT 1.0, 2.5::DOUBLE, DATE '2026-01-31'",
        "SELECT i, i * 2.5 AS p, TIMESTAMP '2026-01-30' + INTERVAL (i) DAY FROM range(1, 2) AS r(i)",
    ],
)
def test_expected_rows_take_the_types_of_the_query(text: str) -> None:
    assert rows(text) == [("1", "2.50", "2026-01-31 00:00:00")]


@pytest.mark.parametrize(
    ("text", "message", "under", "hint"),
    [
        ("VALUES (1, 2)", "2 columns for 3", "(VALUES (1, 2))", "the columns are item, price, at"),
        (
            "VALUES (1, 2, NULL), (NULL, 3, 'noon')",
            "invalid timestamp field format",
            "'noon'",
            "write a value of that type",
        ),
        (
            "VALUES (1.5, 2, NULL)",
            "1.5 is no value of item, which is INTEGER",
            "(VALUES (1.5, 2, NULL))",
            "a cast would round it",
        ),
        (
            "SELECT 1, 2.125, NULL",
            "2.125 is no value of price, which is DECIMAL(5,2)",
            "(SELECT 1, 2.125, NULL)",
            "a cast would round it",
        ),
        (
            "SELECT 1, price, NULL FROM Bid",
            "an ASSERT compares with constants, and there is no Bid to read",
            "(SELECT 1, price, NULL FROM Bid)",
            "write the rows: (VALUES (1, 'a'), …)",
        ),
        ("SELECT 1, nope(2), NULL", "there is no function 'nope'", "(SELECT 1, nope(2), NULL)", None),
    ],
)
def test_rows_that_cannot_be_of_the_query(text: str, message: str, under: str, hint: str | None) -> None:
    with pytest.raises(StatementError) as caught:
        rows(text)
    span = caught.value.span
    assert caught.value.message.startswith(message)
    assert span.text[span.column - 1 : span.column - 1 + span.length] == under
    assert (caught.value.hint or "").startswith(hint or "")
