"""CREATE AGGREGATE: the head, and where it is not written in Python the body in braces."""

from __future__ import annotations

from typing import Any

from sqlglot import TokenType

from windrow.aggregate_body import Event
from windrow.errors import ParseError
from windrow.language.aggregate_actions import read_actions
from windrow.language.aggregate_statements import (
    CreateAggregate,
    Declared,
    WrittenAction,
    WrittenBody,
    WrittenTable,
)
from windrow.language.cursor import Cursor
from windrow.language.names import suggest
from windrow.language.statements import Name, Statement, Text
from windrow.language.tokens import is_word, word

_PARTS = (*(event.value for event in Event), "TABLE")


def at_aggregate(cursor: Cursor) -> bool:
    """Whether [ALGEBRAIC] [WINDOW] AGGREGATE comes next."""
    return any(
        cursor.at_words(*words)
        for words in (
            ("AGGREGATE",),
            ("WINDOW", "AGGREGATE"),
            ("ALGEBRAIC", "AGGREGATE"),
            ("ALGEBRAIC", "WINDOW", "AGGREGATE"),
        )
    )


def create_aggregate(cursor: Cursor, *, bare: bool = False) -> tuple[type[Statement], dict[str, Any]]:
    """Read on behind CREATE; or, where that word was left out, from the beginning.

    Without CREATE, ESL leaves out WINDOW as well: then a body that speaks of a window means one.
    """
    algebraic, window = cursor.passes("ALGEBRAIC"), cursor.passes("WINDOW")
    cursor.expect("AGGREGATE")
    exists = cursor.passes("IF", "NOT", "EXISTS")
    parts: dict[str, Any] = {
        "source": cursor.source,
        "algebraic": algebraic,
        "if_not_exists": exists,
        "name": cursor.name("the name of the aggregate"),
        "arguments": _columns(cursor, "an argument"),
        "returns": _returns(cursor),
    }
    if cursor.passes("LANGUAGE"):
        return CreateAggregate, {**parts, "window": window, "python": _python(cursor)}
    body = _body(cursor)
    window = window or (bare and _speaks_of_window(body))
    return CreateAggregate, {**parts, "window": window, "body": body}


def _columns(cursor: Cursor, what: str) -> tuple[Declared, ...]:
    if cursor.at(TokenType.L_PAREN) and (next_ := cursor.peek(1)) and next_.token_type is TokenType.R_PAREN:
        cursor.take()
        cursor.take()
        return ()
    return cursor.listed(lambda: _declared(cursor, what))


def _declared(cursor: Cursor, what: str) -> Declared:
    name = cursor.name(f"the name of {what}")
    return Declared(name, _type(cursor, TokenType.COMMA, TokenType.R_PAREN, TokenType.SEMICOLON))


def _type(cursor: Cursor, *stops: TokenType) -> Text | None:
    tokens = cursor.until(*stops)
    if not tokens:
        return None
    text = cursor.source.between(tokens[0], tokens[-1])
    return Text(text, cursor.source.span_of(tokens[0], tokens[-1]))


def _returns(cursor: Cursor) -> tuple[Declared, ...]:
    cursor.expect_kind(TokenType.COLON, "':' and the type that it returns")
    if cursor.at(TokenType.L_PAREN):
        return _columns(cursor, "a column that it returns")
    here, start = cursor.here, cursor.place
    while cursor.token is not None and not (
        cursor.at(TokenType.L_BRACE, TokenType.SEMICOLON) or cursor.at_words("LANGUAGE")
    ):
        cursor.take()
    tokens = cursor.source.tokens[start : cursor.place]
    if not tokens:
        raise cursor.expected("the type that it returns")
    text = cursor.source.between(tokens[0], tokens[-1])
    return (Declared(Name("", here), Text(text, cursor.source.span_of(tokens[0], tokens[-1]))),)


def _python(cursor: Cursor) -> Text:
    cursor.expect("PYTHON")
    cursor.expect("AS")
    python = cursor.string("'module:Class'")
    module, _, class_ = python.text.partition(":")
    if not all(part.isidentifier() for part in (*module.split("."), class_)):
        raise ParseError(
            f"'{python.text}' names no class",
            python.span,
            hint="write 'module:Class', as in 'stats:Median'",
        )
    return python


def _speaks_of_window(body: WrittenBody) -> bool:
    return Event.EXPIRE in body.events or any(
        table.name.text.lower() == "inwindow" for table in body.tables
    )


def _body(cursor: Cursor) -> WrittenBody:
    if not cursor.at(TokenType.L_BRACE):
        raise cursor.expected("'{' and what it does, or LANGUAGE PYTHON AS 'module:Class'")
    cursor.take()
    tables: list[WrittenTable] = []
    events: dict[Event, tuple[WrittenAction, ...]] = {}
    places = {}
    while not cursor.at(TokenType.R_BRACE):
        if cursor.passes_kind(TokenType.SEMICOLON):
            continue
        if cursor.passes("TABLE"):
            tables.append(_table(cursor))
            continue
        named = _events(cursor)
        actions = _block(cursor)
        for event, span in named.items():
            if event in events:
                raise ParseError(f"{event.value} stands here a second time", span, hint="leave one out")
            events[event], places[event] = actions, span
    end = cursor.here
    cursor.take()
    return WrittenBody(tuple(tables), events, places, end)


def _table(cursor: Cursor) -> WrittenTable:
    return WrittenTable(cursor.name("the name of a table"), _columns(cursor, "a column"))


def _events(cursor: Cursor) -> dict[Event, Any]:
    """INITIALIZE: ITERATE: the events that the next block is for, and where they are named."""
    named: dict[Event, Any] = {}
    while not cursor.at(TokenType.L_BRACE):
        token = cursor.token
        if token is None or word(token) not in Event.__members__:
            hint = suggest(token.text, _PARTS, "parts are") if token and is_word(token) else None
            expected = "'{'" if named else "TABLE, INITIALIZE, ITERATE, TERMINATE, EXPIRE or '}'"
            raise cursor.expected(expected, hint)
        event, span = Event[word(token)], cursor.here
        if event in named:
            raise ParseError(f"{event.value} stands here a second time", span, hint="leave one out")
        named[event] = span
        cursor.take()
        cursor.expect_kind(TokenType.COLON, "':'")
    if not named:
        raise cursor.expected("the event that this is for", "write INITIALIZE: or the like before it")
    return named


def _block(cursor: Cursor) -> tuple[WrittenAction, ...]:
    cursor.expect_kind(TokenType.L_BRACE, "'{'")
    actions = read_actions(cursor)
    cursor.expect_kind(TokenType.R_BRACE, "';' or '}'")
    return actions
