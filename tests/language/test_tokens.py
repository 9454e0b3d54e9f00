"""Tokens have true places, whatever the tokenizer does to get them."""

from __future__ import annotations

import pytest

from windrow.errors import ParseError
from windrow.language.tokens import Source, is_word, tokenize, word


def written(text: str) -> list[str]:
    source = Source.read(text)
    return [source.written(token) for token in source.tokens]


def test_what_follows_explain_is_read_like_the_rest() -> None:
    text = "EXPLAIN SELECT ';explain' FROM s; explain JSON SELECT 1"
    assert written(text) == [
        *("EXPLAIN", "SELECT", "';explain'", "FROM", "s", ";"),
        *("explain", "JSON", "SELECT", "1"),
    ]
    assert [token.text for token in tokenize(text)][2] == ";explain"


def test_words_of_the_clock_are_names() -> None:
    kinds = {token.token_type for token in tokenize("current_time current_timestamp current_date x")}
    assert len(kinds) == 1


def test_what_is_carved_out_leaves_blanks() -> None:
    source = Source.read("SELECT a FROM s [x y] -- why\n WHERE b")
    kept = [*source.tokens[:4], *source.tokens[8:]]
    assert source.only(kept) == "SELECT a FROM s" + " " * 15 + "WHERE b"


def test_words() -> None:
    quoted, plain, text, number, two = tokenize("\"select\" select 'select' 1 order   by")
    assert [is_word(token) for token in (quoted, plain, text, number, two)] == [
        False,
        True,
        False,
        False,
        True,
    ]
    assert (word(quoted), word(plain), word(two)) == ("", "SELECT", "ORDER BY")


def test_a_span_has_its_line() -> None:
    source = Source.read("a\r\n  bc d\n")
    second = source.span_of(source.tokens[1])
    assert (second.line, second.column, second.length, second.text) == (2, 3, 2, "  bc d")
    assert second.drawn() == "    bc d\n    ^^"


def test_a_span_over_lines_ends_with_its_first_line() -> None:
    source = Source.read("SELECT a\nFROM s")
    span = source.span_of(source.tokens[0], source.tokens[-1])
    assert (span.line, span.column, span.length) == (1, 1, 8)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("SELECT 'abc", 1, 8),
        ('SELECT 1,\n "abc', 2, 2),
        ("SELECT 'a', 'b', 'c", 1, 18),
        ("SELECT 1 /* abc", 1, 10),
        ("EXPLAIN SELECT 'abc", 1, 16),
    ],
)
def test_what_does_not_end_is_shown_where_it_begins(text: str, line: int, column: int) -> None:
    with pytest.raises(ParseError) as caught:
        tokenize(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert caught.value.message == "a string, a quoted name or a comment begins here and does not end"


def test_comparisons_as_books_print_them() -> None:
    source = Source.read("a≤b ≥ 5≠-x '≤' \"≥\" -- ≠\n /* ≤ */")
    kinds = [token.token_type.name for token in source.tokens]
    assert kinds == ["VAR", "LTE", "VAR", "GTE", "NUMBER", "NEQ", "DASH", "VAR", "STRING", "IDENTIFIER"]
    assert [token.text for token in source.tokens[-2:]] == ["≤", "≥"]
    assert source.written(source.tokens[1]) == "≤"
    assert source.only(source.tokens) == "a<b < 5<-x '≤' \"≥\""
    assert [source.span_of(token).column for token in source.tokens[-2:]] == [12, 16]
    assert [token.text for token in tokenize("{≤ x %}")] == ["{", "≤", "x", "%}"]
