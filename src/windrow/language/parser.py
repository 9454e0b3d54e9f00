"""The statement layer: from a text to statements, each in a dataclass of its own.

Statements are separated by `;` tokens. Queries inside them are carved out as token slices and
read by `queries`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlglot import TokenType

from windrow.errors import ParseError
from windrow.language.create_aggregate import at_aggregate, create_aggregate
from windrow.language.create_relation import create_relation
from windrow.language.create_stream import create_stream
from windrow.language.cursor import Cursor
from windrow.language.names import an, suggest
from windrow.language.queries import read_query, read_rows, read_table_query
from windrow.language.statements import (
    CreateQuery,
    Describe,
    Drop,
    Explain,
    InsertQuery,
    InsertSelect,
    InsertValues,
    Query,
    QueryStatement,
    SetSetting,
    Show,
    SnapshotQuery,
    Statement,
    Text,
)
from windrow.language.testing import read_advance, read_assert
from windrow.language.tokens import TEXTS, Source, is_word, word
from windrow.language.updates import delete, update

Parts = dict[str, Any]


def parse(text: str) -> list[Statement]:
    """The statements of a text, in order."""
    cursor = Cursor(Source.read(text))
    return list(_statements(cursor))


def parse_query(text: str) -> Query:
    """The one query that a text must be."""
    statements = parse(text)
    if not statements:
        raise ParseError("expected a query, found nothing", Source(text, ()).span(0, 1))
    for statement in statements:
        if statement is not statements[0] or not isinstance(statement, QueryStatement):
            raise ParseError("expected one query and nothing else", statement.span)
    assert isinstance(statements[0], QueryStatement)
    return statements[0].query


def _statements(cursor: Cursor) -> Iterator[Statement]:
    while cursor.token is not None:
        if cursor.passes_kind(TokenType.SEMICOLON):
            continue
        yield _statement(cursor)
        if cursor.last.token_type is TokenType.R_BRACE:
            continue  # the end of an aggregate is seen without a semicolon
        if cursor.token is not None and not cursor.passes_kind(TokenType.SEMICOLON):
            raise cursor.expected("';' or the end of the statement")


def _statement(cursor: Cursor) -> Statement:
    first = cursor.token
    assert first is not None
    reader = _READERS.get("(" if first.token_type is TokenType.L_PAREN else word(first))
    if reader is None:
        begins = cursor.source.written(first)
        hint = _ELSEWHERE.get(word(first)) or suggest(begins, BEGINNINGS, "statements begin with")
        raise ParseError(f"no statement begins with '{begins}'", cursor.here, hint=hint)
    kind, parts = reader(cursor)
    text = cursor.source.between(first, cursor.last)
    statement = kind(span=cursor.source.span_of(first, cursor.last), text=text, **parts)
    assert isinstance(statement, Statement)
    return statement


def _query(cursor: Cursor) -> Query:
    first = cursor.token
    if first is None or not (cursor.at(TokenType.L_PAREN) or word(first) in _QUERIES):
        raise cursor.expected("a query", "a query begins with SELECT")
    return read_query(cursor.source, cursor.until(TokenType.SEMICOLON))


def _bare_query(cursor: Cursor) -> tuple[type[Statement], Parts]:
    return QueryStatement, {"query": _query(cursor)}


def _snapshot(cursor: Cursor) -> tuple[type[Statement], Parts]:
    cursor.take()
    return SnapshotQuery, {"query": _query(cursor)}


def _create(cursor: Cursor) -> tuple[type[Statement], Parts]:
    cursor.take()
    if cursor.passes("STREAM"):
        return create_stream(cursor, _query)
    for kind in ("TABLE", "NRR"):
        if cursor.passes(kind):
            return create_relation(cursor, retroactive=kind == "TABLE")
    if at_aggregate(cursor):
        return create_aggregate(cursor)
    if not cursor.passes("QUERY"):
        hint = "CREATE STREAM name AS query names a query" if cursor.at_words("VIEW") else None
        raise cursor.expected("STREAM, TABLE, NRR, QUERY or AGGREGATE", hint)
    exists = cursor.passes("IF", "NOT", "EXISTS")
    name = cursor.name("the name of the query")
    cursor.expect("AS")
    return CreateQuery, {"name": name, "query": _query(cursor), "if_not_exists": exists}


def _insert(cursor: Cursor) -> tuple[type[Statement], Parts]:
    cursor.take()
    replace = cursor.passes("OR", "REPLACE")
    cursor.expect("INTO")
    if cursor.at(*TEXTS) and not replace:
        return InsertQuery, {"uri": cursor.string("a URI"), "query": _query(cursor)}
    what = "the name of a table" if replace else "a URI in quotes, or the name of a stream or table"
    target = cursor.dotted_name(what)
    columns = None
    if cursor.at(TokenType.L_PAREN) and not _query_follows(cursor):
        columns = cursor.listed(lambda: cursor.name("the name of a column"))
    parts: Parts = {"target": target, "columns": columns, "replace": replace}
    if not cursor.at_words("VALUES"):
        return InsertSelect, {**parts, "query": _rows_of_tables(cursor)}
    rows = read_rows(cursor.source, cursor.until(TokenType.SEMICOLON))
    return InsertValues, {**parts, "rows": rows, "source": cursor.source}


def _query_follows(cursor: Cursor) -> bool:
    """Whether the parenthesis that comes next is that of a query, and not of a list of columns."""
    inner = cursor.peek(1)
    return inner is not None and word(inner) in _QUERIES


def _rows_of_tables(cursor: Cursor) -> Query:
    if cursor.token is None or not (cursor.at(TokenType.L_PAREN) or word(cursor.token) in _QUERIES):
        raise cursor.expected("VALUES or a query")
    return read_table_query(cursor.source, cursor.until(TokenType.SEMICOLON))


def _show(cursor: Cursor) -> tuple[type[Statement], Parts]:
    cursor.take()
    for what in ("streams", "tables", "queries", "aggregates", "settings"):
        if cursor.passes(what.upper()):
            return Show, {"what": what}
    raise cursor.expected("STREAMS, TABLES, QUERIES, AGGREGATES or SETTINGS")


def _describe(cursor: Cursor) -> tuple[type[Statement], Parts]:
    cursor.take()
    return Describe, {"name": cursor.dotted_name("the name of a stream, table, query or aggregate")}


def _drop(cursor: Cursor) -> tuple[type[Statement], Parts]:
    cursor.take()
    for what in ("stream", "table", "NRR", "query", "aggregate", "window aggregate"):
        if cursor.passes(*what.upper().split()):
            exists = cursor.passes("IF", "EXISTS")
            name = cursor.dotted_name(f"the name of {an(what)}")
            return Drop, {"what": what, "name": name, "if_exists": exists}
    raise cursor.expected("STREAM, TABLE, NRR, QUERY or AGGREGATE")


def _explain(cursor: Cursor) -> tuple[type[Statement], Parts]:
    cursor.take()
    chosen = "text"
    for format_ in ("text", "json", "dot"):
        if cursor.passes(format_.upper()):
            chosen = format_
            break
    return Explain, {"format": chosen, "query": _query(cursor)}


def _set(cursor: Cursor) -> tuple[type[Statement], Parts]:
    cursor.take()
    name = cursor.name("the name of a setting")
    if not (cursor.passes_kind(TokenType.EQ) or cursor.passes("TO")):
        raise cursor.expected("'=' or TO")
    return SetSetting, {"name": name, "value": _value(cursor)}


def _value(cursor: Cursor) -> Text:
    """A setting's value: one literal or word, or a number and a unit."""
    tokens = cursor.until(TokenType.SEMICOLON)
    if not tokens:
        raise cursor.expected("a value")
    span = cursor.source.span_of(tokens[0], tokens[-1])
    if all(token.token_type is TokenType.NUMBER or is_word(token) for token in tokens):
        return Text(" ".join(token.text for token in tokens), span)
    if len(tokens) == 1 and tokens[0].token_type in (*TEXTS, TokenType.IDENTIFIER):
        return Text(tokens[0].text, span)
    if len(tokens) == 2 and tokens[0].token_type is TokenType.DASH:
        return Text(f"-{tokens[1].text}", span)
    raise ParseError("a setting takes one value", span, hint="put it in quotes")


_QUERIES = ("SELECT", "FROM", "WITH", "VALUES")
BEGINNINGS = (
    *("SELECT", "CREATE", "INSERT", "UPDATE", "DELETE", "SHOW", "DESCRIBE", "DROP", "EXPLAIN", "SET"),
    *("SNAPSHOT", "ADVANCE", "ASSERT"),
)
_ELSEWHERE = {
    "ALTER": "declare it anew, under another name or after DROP, and fill it with INSERT INTO … SELECT",
    "MERGE": "INSERT OR REPLACE INTO puts rows in the place of those with their keys",
    "REPLACE": "INSERT OR REPLACE INTO puts rows in the place of those with their keys",
    "TRUNCATE": "DELETE FROM a table removes all its rows",
    "UPSERT": "INSERT OR REPLACE INTO puts rows in the place of those with their keys",
}
"""What other systems know, and what does it here."""
_READERS: dict[str, Callable[[Cursor], tuple[type[Statement], Parts]]] = {
    **dict.fromkeys((*_QUERIES, "("), _bare_query),
    "CREATE": _create,
    **dict.fromkeys(
        ("AGGREGATE", "WINDOW", "ALGEBRAIC"), lambda cursor: create_aggregate(cursor, bare=True)
    ),
    "INSERT": _insert,
    "UPDATE": update,
    "DELETE": delete,
    "SHOW": _show,
    "SNAPSHOT": _snapshot,
    "DESCRIBE": _describe,
    "DROP": _drop,
    "EXPLAIN": _explain,
    "SET": _set,
    "ADVANCE": read_advance,
    "ASSERT": lambda cursor: read_assert(cursor, _query),
}
