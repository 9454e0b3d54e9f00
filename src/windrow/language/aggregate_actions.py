"""What an aggregate does at an event: INSERT, UPDATE and DELETE, with `;` between."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import Token, TokenType, exp

from windrow.errors import ParseError
from windrow.language.aggregate_statements import (
    WrittenAction,
    WrittenDelete,
    WrittenInsertQuery,
    WrittenInsertRows,
    WrittenUpdate,
)
from windrow.language.cursor import Cursor
from windrow.language.names import suggest
from windrow.language.queries import read_expressions, read_query, read_rows
from windrow.language.statements import Name
from windrow.language.tokens import is_word, word

_ENDS = (TokenType.SEMICOLON, TokenType.R_BRACE)
_QUERIES = ("SELECT", "FROM", "WITH")


def read_actions(cursor: Cursor) -> tuple[WrittenAction, ...]:
    """The actions up to the closing brace; the last one needs no `;`."""
    actions: list[WrittenAction] = []
    while cursor.token is not None and not cursor.at(TokenType.R_BRACE):
        if cursor.passes_kind(TokenType.SEMICOLON):
            continue
        actions.append(_action(cursor))
        if not cursor.at(*_ENDS):
            raise cursor.expected("';' or '}'")
    return tuple(actions)


def _action(cursor: Cursor) -> WrittenAction:
    token = cursor.token
    assert token is not None
    reader = _READERS.get(word(token))
    if reader is None:
        hint = suggest(token.text, _READERS, "actions are") if is_word(token) else None
        raise cursor.expected("INSERT, UPDATE or DELETE", hint)
    cursor.take()
    return reader(cursor, token)


def _insert(cursor: Cursor, first: Token) -> WrittenAction:
    cursor.expect("INTO")
    table = cursor.name("the name of a table, or RETURN")
    columns = None
    if cursor.at(TokenType.L_PAREN) and not _begins_query(cursor.peek(1)):
        columns = cursor.listed(lambda: cursor.name("the name of a column"))
    if cursor.at_words("VALUES"):
        rows = read_rows(cursor.source, cursor.until(*_ENDS, TokenType.WHERE))
        condition = _where(cursor)
        span = cursor.source.span_of(first, cursor.last)
        return WrittenInsertRows(table, columns, rows, condition, span)
    if not cursor.at(TokenType.L_PAREN) and not _begins_query(cursor.token):
        raise cursor.expected("VALUES or SELECT")
    query = read_query(cursor.source, cursor.until(*_ENDS))
    return WrittenInsertQuery(table, columns, query, cursor.source.span_of(first, cursor.last))


def _begins_query(token: Token | None) -> bool:
    return token is not None and word(token) in _QUERIES


def _update(cursor: Cursor, first: Token) -> WrittenUpdate:
    table = cursor.name("the name of a table")
    cursor.expect("SET")
    assigned = [_assignment(cursor)]
    while cursor.passes_kind(TokenType.COMMA):
        assigned.append(_assignment(cursor))
    condition = _where(cursor)
    columns, values = zip(*assigned, strict=True)
    return WrittenUpdate(table, columns, values, condition, cursor.source.span_of(first, cursor.last))


def _assignment(cursor: Cursor) -> tuple[Name, exp.Expr]:
    column = cursor.name("the name of a column")
    cursor.expect_kind(TokenType.EQ, "'='")
    return column, _expression(cursor, TokenType.COMMA, TokenType.WHERE)


def _delete(cursor: Cursor, first: Token) -> WrittenDelete:
    cursor.expect("FROM")
    table = cursor.name("the name of a table")
    condition = _where(cursor)
    return WrittenDelete(table, condition, cursor.source.span_of(first, cursor.last))


def _where(cursor: Cursor) -> exp.Expr | None:
    return _expression(cursor) if cursor.passes("WHERE") else None


def _expression(cursor: Cursor, *stops: TokenType) -> exp.Expr:
    tokens = cursor.until(*_ENDS, *stops)
    if not tokens:
        raise cursor.expected("an expression")
    expressions = read_expressions(cursor.source, tokens)
    if len(expressions) > 1:
        raise ParseError("expected one expression", cursor.source.span_of(tokens[0], tokens[-1]))
    return expressions[0]


_READERS: dict[str, Callable[[Cursor, Token], WrittenAction]] = {
    "INSERT": _insert,
    "UPDATE": _update,
    "DELETE": _delete,
}
