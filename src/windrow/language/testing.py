"""ADVANCE and ASSERT: the statements that scripts test queries with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import Token, TokenType

from windrow.errors import ParseError
from windrow.language.cursor import Cursor
from windrow.language.statements import (
    AdvanceClock,
    AdvanceStream,
    AssertError,
    AssertRows,
    Query,
    Statement,
    Text,
)
from windrow.language.tokens import CLOSING, OPENING, word

Parts = tuple[type[Statement], dict[str, Any]]

_ASSERTED = 10
"""An assertion may be about one that is about another, so often."""


def read_advance(cursor: Cursor) -> Parts:
    """ADVANCE stream TO TIMESTAMP '…', or ADVANCE CLOCK BY 5 SECONDS."""
    cursor.take()
    if cursor.passes("CLOCK", "BY"):
        return AdvanceClock, {"by": cursor.duration()}
    stream = cursor.name("the name of a stream, or CLOCK BY")
    cursor.expect("TO")
    cursor.passes("TIMESTAMP")
    return AdvanceStream, {"stream": stream, "instant": cursor.string("an instant in quotes")}


def read_assert(cursor: Cursor, read_query: Callable[[Cursor], Query]) -> Parts:
    """ASSERT ANSWER OF query, ASSERT CHANGES OF query, or ASSERT ERROR 'text' FOR statement."""
    cursor.take()
    for what in ("answer", "changes"):
        if cursor.passes(what.upper()):
            return AssertRows, {"what": what, **_rows(cursor, what, read_query)}
    if cursor.passes("ERROR"):
        return AssertError, _error(cursor)
    raise cursor.expected("ANSWER, CHANGES or ERROR")


def _rows(cursor: Cursor, what: str, read_query: Callable[[Cursor], Query]) -> dict[str, Any]:
    cursor.expect("OF")
    parts: dict[str, Any] = {"name": cursor.name("the name of a query")}
    parts["times"] = what == "changes" and cursor.passes("WITH", "TIMES")
    if cursor.passes("IS", "EMPTY"):
        return {**parts, "rows": None}
    if not cursor.passes("AS"):
        raise cursor.expected("AS (VALUES …) or IS EMPTY")
    if not cursor.at(TokenType.L_PAREN):
        raise cursor.expected("'('", "the rows stand in parentheses: AS (VALUES (1, 'a'), …)")
    return {**parts, "rows": read_query(cursor)}


def _error(cursor: Cursor) -> dict[str, Any]:
    part = cursor.string("a part of the message in quotes")
    if not part.text.strip():
        raise ParseError("any message has nothing in it", part.span, hint="say a part of the message")
    cursor.expect("FOR")
    return {"part": part, "statement": _statement(cursor)}


def _statement(cursor: Cursor) -> Text:
    """A statement as text, which is read when it is its turn: it may be wrong in any way.

    One whose parentheses do not match ends at its first `;`, so that it swallows none behind it.
    """
    start = cursor.place
    tokens = _up_to_its_end(cursor)
    if _is_open(tokens):
        cursor.place = start
        while cursor.token is not None and not cursor.at(TokenType.SEMICOLON):
            cursor.take()
        tokens = cursor.source.tokens[start : cursor.place]
    if not tokens:
        raise cursor.expected("a statement")
    if sum(word(token) == "ASSERT" for token in tokens) > _ASSERTED:
        span = cursor.source.span_of(tokens[0], tokens[-1])
        raise ParseError("assertions about assertions nest too deeply", span, hint="assert a statement")
    return Text(cursor.source.between(tokens[0], tokens[-1]), cursor.source.span_of(tokens[0], tokens[-1]))


def _up_to_its_end(cursor: Cursor) -> tuple[Token, ...]:
    start = cursor.place
    cursor.until(TokenType.SEMICOLON)
    following = cursor.peek(1)
    if following is not None and word(following) == "SOURCE":  # ESL prints a `;` before it
        cursor.take()
        cursor.until(TokenType.SEMICOLON)
    return cursor.source.tokens[start : cursor.place]


def _is_open(tokens: tuple[Token, ...]) -> bool:
    opened = sum(token.token_type in OPENING for token in tokens)
    return opened != sum(token.token_type in CLOSING for token in tokens)
