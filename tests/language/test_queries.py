"""DuckDB judges the syntax of a query, and its faults come out in our words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windrow.errors import ParseError, StatementError
from windrow.language.parser import parse, parse_query
from windrow.language.queries import MAX_NESTING, read_query
from windrow.language.tokens import Source

FAILURES = [
    ("SELECT price item name FROM Bid", ParseError, "unexpected 'name'", "name", None),
    ("SELECT price FROM", ParseError, "the statement ends too early, after 'FROM'", "", None),
    ("SELECT price +", ParseError, "the statement ends too early, after '+'", "", None),
    ("SELECT (price", ParseError, "the statement ends too early, after 'price'", "", None),
    ("SELECT FROM Bid", ParseError, "SELECT names no columns", "SELECT", "* stands for all columns"),
    ("SELECT price,, itemID FROM Bid", ParseError, "unexpected ','", ",", None),
    ("SELECT price FROM Bid GROUP", ParseError, "the statement ends too early, after 'GROUP'", "", None),
    (
        "SELECT price FROM Bid WHER price > 3",
        ParseError,
        "unexpected 'price'",
        "price",
        "did you mean WHERE?",
    ),
    (
        "SELECT price FROM Bid CREATE STREAM x AS SELECT price FROM Bid",
        ParseError,
        "unexpected 'CREATE'",
        "CREATE",
        "statements are separated by ;",
    ),
    (
        "SELECT 0x1F FROM Bid",
        ParseError,
        "'0x1F' is not a number",
        "0x1F",
        "write numbers in decimal, and a blank before a name",
    ),
    ("SELECT price\n  FROM Bid\n WHERE price >> > 3", ParseError, "unexpected '>'", ">", None),
    ("VALUES (1)", ParseError, "a query begins with SELECT", "VALUES", None),
    (
        "CREATE STREAM x AS DESCRIBE Bid",
        ParseError,
        "expected a query, found 'DESCRIBE'",
        "DESCRIBE",
        "a query begins with SELECT",
    ),
    (
        "SELECT 'abc FROM Bid",
        ParseError,
        "a string, a quoted name or a comment begins here and does not end",
        "'abc FROM Bid",
        "close it with the sign that opened it",
    ),
    (
        'SELECT "abc FROM Bid',
        ParseError,
        "a string, a quoted name or a comment begins here and does not end",
        '"abc FROM Bid',
        "close it with the sign that opened it",
    ),
    (
        "SELECT price /* FROM Bid",
        ParseError,
        "a string, a quoted name or a comment begins here and does not end",
        "/* FROM Bid",
        "close it with the sign that opened it",
    ),
    ("SELECT 'é' x y z FROM Bid", ParseError, "unexpected 'y'", "y", None),
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


def test_an_error_is_drawn_with_its_line_and_a_hint() -> None:
    with pytest.raises(ParseError) as caught:
        parse("SELECT price\n  FROM Bid\n WHER price > 3")
    assert str(caught.value) == "\n".join(
        [
            "line 3, column 7: unexpected 'price'",
            "   WHER price > 3",
            "        ^^^^^",
            "hint: did you mean WHERE?",
        ]
    )


def test_columns_are_counted_in_characters() -> None:
    with pytest.raises(ParseError) as caught:
        parse("SELECT 'é≤😀' x y FROM Bid")
    assert caught.value.column == 16


def test_a_query_is_read_without_what_is_carved_out() -> None:
    source = Source.read("SELECT a FROM s [RANGE 5 SECONDS] WHERE b > 1 c")
    tokens = [*source.tokens[:4], *source.tokens[9:]]
    with pytest.raises(ParseError) as caught:
        read_query(source, tokens)
    assert (caught.value.message, caught.value.column) == ("unexpected 'c'", 47)
    assert read_query(source, tokens[:-1]).tree.sql("duckdb") == "SELECT a FROM s WHERE b > 1"


def test_nesting_has_a_limit() -> None:
    parse_query(f"SELECT {'(' * MAX_NESTING}1{')' * MAX_NESTING} FROM s")
    with pytest.raises(ParseError, match="the expression nests too deeply"):
        parse_query(f"SELECT {'(' * 1000}1{')' * 1000} FROM s")


@pytest.mark.parametrize("text", ["NOT " * 3000 + "a", "- " * 3000 + "a", " + ".join("a" * 3000)])
def test_long_chains_are_refused_politely(text: str) -> None:
    with pytest.raises(ParseError, match="nests too deeply"):
        parse_query(f"SELECT {text} FROM s")


def test_a_long_conjunction_is_no_trouble() -> None:
    parse_query(f"SELECT a FROM s WHERE {' AND '.join(['a > 1'] * 300)}")
