"""CREATE TABLE and CREATE NRR: columns and, in one place or the other, the primary key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlglot import TokenType

from windrow.errors import ParseError, Span
from windrow.language.columns import entry, typed
from windrow.language.cursor import Cursor
from windrow.language.statements import ColumnDefinition, CreateRelation, Name, Statement
from windrow.language.tokens import word


@dataclass
class _Columns:
    """What the column list has said so far."""

    cursor: Cursor
    columns: list[ColumnDefinition] = field(default_factory=list)
    key: tuple[Name, ...] = ()

    def read_entry(self) -> None:
        """A column, or PRIMARY KEY (column, …)."""
        cursor = self.cursor
        place = cursor.here
        if cursor.passes("PRIMARY KEY"):
            self._set_key(cursor.listed(lambda: cursor.name("the name of a column")), place)
            return
        name = cursor.name("the name of a column")
        tokens = cursor.until(TokenType.COMMA, TokenType.R_PAREN, TokenType.SEMICOLON)
        if tokens and word(tokens[-1]) == "PRIMARY KEY":
            self._set_key((name,), cursor.source.span_of(tokens[-1]))
            tokens = tokens[:-1]
        found = entry(
            cursor,
            name,
            tokens,
            "the columns of a table take no constraint but PRIMARY KEY",
            "leave it out",
        )
        self.columns.append(typed(found))

    def _set_key(self, key: tuple[Name, ...], place: Span) -> None:
        if self.key:
            raise ParseError(
                "PRIMARY KEY stands here a second time",
                place,
                hint="a key of several columns is written PRIMARY KEY (a, b)",
            )
        self.key = key


def create_relation(cursor: Cursor, *, retroactive: bool) -> tuple[type[Statement], dict[str, Any]]:
    """Read on behind CREATE TABLE or CREATE NRR."""
    exists = cursor.passes("IF", "NOT", "EXISTS")
    name = cursor.name(f"the name of the {'table' if retroactive else 'NRR'}")
    found = _Columns(cursor)
    cursor.listed(found.read_entry)
    if cursor.at_words("AS"):
        hint = "declare the columns, and fill it with INSERT INTO … SELECT"
        raise cursor.expected("';' or the end of the statement", hint)
    return CreateRelation, {
        "name": name,
        "columns": tuple(found.columns),
        "key": found.key,
        "retroactive": retroactive,
        "if_not_exists": exists,
    }
