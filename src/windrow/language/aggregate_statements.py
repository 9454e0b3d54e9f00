"""CREATE AGGREGATE as it was written: nothing here is looked up or typed yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from windrow.aggregate_body import Event
from windrow.errors import Span
from windrow.language.statements import Name, Query, Statement, Text
from windrow.language.tokens import Source


@dataclass(frozen=True)
class Declared:
    """A name with a type, still text; without one, the type is that of a call's argument."""

    name: Name
    type: Text | None


@dataclass(frozen=True)
class WrittenTable:
    """TABLE name (column type, …): a table of the aggregate's own."""

    name: Name
    columns: tuple[Declared, ...]


@dataclass(frozen=True)
class WrittenInsertRows:
    """INSERT INTO table [(column, …)] VALUES (…), … [WHERE …]."""

    table: Name
    columns: tuple[Name, ...] | None
    rows: tuple[tuple[exp.Expr, ...], ...]
    condition: exp.Expr | None
    span: Span


@dataclass(frozen=True)
class WrittenInsertQuery:
    """INSERT INTO table [(column, …)] SELECT …."""

    table: Name
    columns: tuple[Name, ...] | None
    query: Query
    span: Span


@dataclass(frozen=True)
class WrittenUpdate:
    """UPDATE table SET column = …, … [WHERE …]."""

    table: Name
    columns: tuple[Name, ...]
    values: tuple[exp.Expr, ...]
    condition: exp.Expr | None
    span: Span


@dataclass(frozen=True)
class WrittenDelete:
    """DELETE FROM table [WHERE …]."""

    table: Name
    condition: exp.Expr | None
    span: Span


WrittenAction: TypeAlias = WrittenInsertRows | WrittenInsertQuery | WrittenUpdate | WrittenDelete


@dataclass(frozen=True)
class WrittenBody:
    """What stands in the braces of CREATE AGGREGATE."""

    tables: tuple[WrittenTable, ...]
    events: Mapping[Event, tuple[WrittenAction, ...]]
    places: Mapping[Event, Span]
    """Where each event that is there is named."""
    end: Span
    """The closing brace."""


@dataclass(frozen=True, kw_only=True)
class CreateAggregate(Statement):
    """CREATE [ALGEBRAIC] [WINDOW] AGGREGATE name (argument type, …) : type { … }, or LANGUAGE PYTHON."""

    name: Name
    arguments: tuple[Declared, ...]
    returns: tuple[Declared, ...]
    """One without a name, or several with names."""
    source: Source
    window: bool = False
    algebraic: bool = False
    body: WrittenBody | None = None
    python: Text | None = None
    """'module:Class', where the aggregate is written in Python."""
    if_not_exists: bool = False
