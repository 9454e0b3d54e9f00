"""The columns that CREATE STREAM and CREATE TABLE declare: names and types, one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import Token

from windrow.errors import ParseError, Refused
from windrow.language.cursor import Cursor
from windrow.language.statements import ColumnDefinition, Name, Text
from windrow.language.tokens import word

_CONSTRAINTS = frozenset(
    {"NOT", "NULL", "PRIMARY", "UNIQUE", "CHECK", "DEFAULT", "REFERENCES", "GENERATED"}
)


@dataclass(frozen=True)
class Entry:
    """What stands between two commas of a column list: a name, and perhaps a type."""

    name: Name
    type: Text | None


def entry(cursor: Cursor, name: Name, tokens: Sequence[Token], message: str, hint: str) -> Entry:
    """A name and the tokens behind it; message and hint are those for a constraint among them."""
    if not tokens:
        return Entry(name, None)
    for token in tokens:
        if word(token) in _CONSTRAINTS:
            raise Refused(message, cursor.source.span_of(token), hint=hint)
    text = cursor.source.between(tokens[0], tokens[-1])
    return Entry(name, Text(text, cursor.source.span_of(tokens[0], tokens[-1])))


def typed(found: Entry) -> ColumnDefinition:
    """A column that has a type."""
    if found.type is None:
        raise ParseError(
            f"column {found.name} has no type",
            found.name.span,
            hint=f"write {found.name} and a type, as in INTEGER",
        )
    return ColumnDefinition(found.name, found.type)
