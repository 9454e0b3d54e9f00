"""CREATE STREAM, in its two forms: a stream that tuples arrive on, and one derived by a query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlglot import TokenType

from windrow.errors import ParseError, Refused
from windrow.language.cursor import Cursor
from windrow.language.names import suggest
from windrow.language.statements import (
    ColumnDefinition,
    CreateDerivedStream,
    CreateStream,
    Name,
    Query,
    Statement,
    Text,
)
from windrow.language.tokens import is_word, word

_CONSTRAINTS = frozenset(
    {"NOT", "NULL", "PRIMARY", "UNIQUE", "CHECK", "DEFAULT", "REFERENCES", "GENERATED"}
)


@dataclass(frozen=True)
class _Entry:
    """What stands between two commas of the column list: a name, and perhaps a type."""

    name: Name
    type: Text | None


def create_stream(
    cursor: Cursor, read_query: Callable[[Cursor], Query]
) -> tuple[type[Statement], dict[str, Any]]:
    """Read on behind CREATE STREAM."""
    exists = cursor.passes("IF", "NOT", "EXISTS")
    name = cursor.name("the name of the stream")
    parts: dict[str, Any] = {"name": name, "if_not_exists": exists}
    entries = cursor.listed(lambda: _entry(cursor)) if cursor.at(TokenType.L_PAREN) else None
    if cursor.passes("AS"):
        columns = None if entries is None else tuple(_untyped(entry) for entry in entries)
        return CreateDerivedStream, {**parts, "columns": columns, "query": read_query(cursor)}
    if entries is None:
        raise cursor.expected("'(' and columns, or AS and a query")
    columns_ = tuple(_typed(entry) for entry in entries)
    return CreateStream, {**parts, "columns": columns_, **_clauses(cursor)}


def _entry(cursor: Cursor) -> _Entry:
    name = cursor.name("the name of a column")
    tokens = cursor.until(TokenType.COMMA, TokenType.R_PAREN, TokenType.SEMICOLON)
    if not tokens:
        return _Entry(name, None)
    for token in tokens:
        if word(token) in _CONSTRAINTS:
            raise Refused(
                "the columns of a stream take no constraints",
                cursor.source.span_of(token),
                hint="leave it out, and choose tuples with WHERE in a query",
            )
    text = cursor.source.between(tokens[0], tokens[-1])
    return _Entry(name, Text(text, cursor.source.span_of(tokens[0], tokens[-1])))


def _typed(entry: _Entry) -> ColumnDefinition:
    if entry.type is None:
        raise ParseError(
            f"column {entry.name} has no type",
            entry.name.span,
            hint=f"write {entry.name} and a type, as in INTEGER",
        )
    return ColumnDefinition(entry.name, entry.type)


def _untyped(entry: _Entry) -> Name:
    if entry.type is not None:
        raise ParseError(
            "the columns of a derived stream take their types from its query",
            entry.type.span,
            hint="leave the type out, or CAST in the query",
        )
    return entry.name


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
