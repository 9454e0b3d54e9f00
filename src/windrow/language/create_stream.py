"""CREATE STREAM, in its two forms: a stream that tuples arrive on, and one derived by a query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import TokenType

from windrow.errors import ParseError
from windrow.language.columns import Entry, entry, typed
from windrow.language.cursor import Cursor
from windrow.language.names import suggest
from windrow.language.statements import (
    CreateDerivedStream,
    CreateStream,
    Name,
    Query,
    Statement,
)
from windrow.language.tokens import is_word, word


def create_stream(
    cursor: Cursor, read_query: Callable[[Cursor], Query]
) -> tuple[type[Statement], dict[str, Any]]:
    """Read on behind CREATE STREAM."""
    exists = cursor.passes("IF", "NOT", "EXISTS")
    name = cursor.hyphenated_name("the name of the stream")
    parts: dict[str, Any] = {"name": name, "if_not_exists": exists}
    entries = cursor.listed(lambda: _entry(cursor)) if cursor.at(TokenType.L_PAREN) else None
    if cursor.passes("AS"):
        columns = None if entries is None else tuple(map(_untyped, entries))
        return CreateDerivedStream, {**parts, "columns": columns, "query": read_query(cursor)}
    if entries is None:
        raise cursor.expected("'(' and columns, or AS and a query")
    columns_ = tuple(map(typed, entries))
    return CreateStream, {**parts, "columns": columns_, **_clauses(cursor)}


def _entry(cursor: Cursor) -> Entry:
    name = cursor.name("the name of a column")
    tokens = cursor.until(TokenType.COMMA, TokenType.R_PAREN, TokenType.SEMICOLON)
    return entry(
        cursor,
        name,
        tokens,
        "the columns of a stream take no constraints",
        "leave it out, and choose tuples with WHERE in a query",
    )


def _untyped(found: Entry) -> Name:
    if found.type is not None:
        raise ParseError(
            "the columns of a derived stream take their types from its query",
            found.type.span,
            hint="leave the type out, or CAST in the query",
        )
    return found.name


def _clauses(cursor: Cursor) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while True:
        if cursor.at(TokenType.SEMICOLON) and _source_follows(cursor):
            cursor.take()
        token = cursor.token
        if token is None or cursor.at(TokenType.SEMICOLON):
            return found
        clause = word(token)
        if clause not in _CLAUSES:
            raise _no_clause(cursor)
        field, read = _CLAUSES[clause]
        if field in found:
            raise ParseError(
                f"{clause} stands here a second time", cursor.here, hint="leave one of them out"
            )
        cursor.take()
        found[field] = read(cursor)


def _source_follows(cursor: Cursor) -> bool:
    """ESL prints a `;` before SOURCE; no statement begins with that word."""
    following = cursor.peek(1)
    return following is not None and word(following) == "SOURCE"


def _no_clause(cursor: Cursor) -> ParseError:
    token = cursor.token
    hint = suggest(token.text, _CLAUSES, "clauses are") if token and is_word(token) else None
    return cursor.expected("a clause of CREATE STREAM or ';'", hint)


def _order_by(cursor: Cursor) -> Name:
    name = cursor.name("the name of the timestamp column")
    cursor.passes("ASC")
    return name


_CLAUSES: dict[str, tuple[str, Callable[[Cursor], Any]]] = {
    "ORDER BY": ("order_by", _order_by),
    "SLACK": ("slack", Cursor.duration),
    "RETAIN": ("retain", Cursor.duration),
    "HEARTBEAT": ("heartbeat", Cursor.duration),
    "SOURCE": ("uri", lambda cursor: cursor.string("a URI in quotes")),
}
