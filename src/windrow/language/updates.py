"""UPDATE and DELETE: which rows of a table, and their new values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlglot import TokenType, exp

from windrow.errors import ParseError, Refused
from windrow.language.cursor import Cursor
from windrow.language.queries import read_change
from windrow.language.spans import span_of
from windrow.language.statements import Delete, Name, Statement, Update
from windrow.language.tokens import Source

_TABLE = "the name of a table"
_CLAUSES = {"this", "expressions", "where"}


def update(cursor: Cursor) -> tuple[type[Statement], dict[str, Any]]:
    """UPDATE name SET column = expression, … [WHERE condition]."""
    start = cursor.place
    cursor.take()
    target = cursor.name(_TABLE)
    if not cursor.at_words("SET"):
        raise cursor.expected("SET")
    _check_columns(replace(cursor), target)
    tree = _read(cursor, start)
    columns, values = zip(*(_assignment(each, cursor.source) for each in tree.expressions), strict=True)
    return Update, {"target": target, "columns": columns, "values": values, **_rest(cursor, tree)}


def delete(cursor: Cursor) -> tuple[type[Statement], dict[str, Any]]:
    """DELETE FROM name [WHERE condition]."""
    start = cursor.place
    cursor.take()
    cursor.expect("FROM")
    target = cursor.name(_TABLE)
    if not (cursor.token is None or cursor.at(TokenType.SEMICOLON) or cursor.at_words("WHERE")):
        raise cursor.expected("WHERE or ';'")
    return Delete, {"target": target, **_rest(cursor, _read(cursor, start))}


def _check_columns(cursor: Cursor, table: Name) -> None:
    """Refuse columns with a table before them. So does DuckDB, which does not say where."""
    cursor.expect("SET")
    while (token := cursor.peek(1)) is not None:
        if token.token_type is TokenType.DOT:
            named = cursor.dotted_name("the name of a column")
            before, _, column = named.text.rpartition(".")
            is_table = before.lower() == table.text.lower()
            hint = f"write {column}" if is_table else "a column is set as a whole"
            raise ParseError("SET names a column by itself", named.span, hint=hint)
        cursor.until(TokenType.COMMA, TokenType.FROM, TokenType.WHERE, TokenType.SEMICOLON)
        if not cursor.passes_kind(TokenType.COMMA):
            return


def _read(cursor: Cursor, start: int) -> exp.Update | exp.Delete:
    cursor.until(TokenType.SEMICOLON)
    tree = read_change(cursor.source, cursor.source.tokens[start : cursor.place])
    for key, value in tree.args.items():
        if value and key not in _CLAUSES:
            clause, near = key.strip("_").upper(), value[0] if isinstance(value, list) else value
            raise Refused(
                f"{tree.key.upper()} takes no {clause} here",
                span_of(near, cursor.source, cursor.source.span_of(cursor.last)),
                hint="choose rows with WHERE, in which a query may read other tables",
            )
    return tree


def _rest(cursor: Cursor, tree: exp.Update | exp.Delete) -> dict[str, Any]:
    where = tree.args.get("where")
    return {"condition": where.this if where else None, "source": cursor.source}


def _assignment(tree: exp.Expr, source: Source) -> tuple[Name, exp.Expr]:
    column = tree.this if isinstance(tree, exp.EQ) else None
    if not isinstance(column, exp.Column):
        place = span_of(tree, source, source.span_of(source.tokens[0]))
        raise ParseError("SET takes column = expression", place, hint="assign one column after another")
    name = column.this
    return Name(name.name, span_of(name, source, source.span_of(source.tokens[0]))), tree.expression
