"""What an aggregate of the user's own does at each event of its life: tables and actions on them.

Expressions are sqlglot trees in DuckDB's dialect. Names in them are resolved: a column of the tuple
that an event is about is qualified with `TUPLE`, one of the oldest tuple in the window with `OLDEST`,
any other with the name under which the FROM around it, or the action, knows its table. What is put
into a table has been cast to the types of its columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp

from windrow.schema import Schema

if TYPE_CHECKING:
    from windrow.catalog import Aggregate

TUPLE = "__tuple"
"""Qualifies the arguments: of the tuple that arrives, or in EXPIRE of the one that expires."""
OLDEST = "__oldest"
"""Qualifies what oldest() names."""
RETURN = "RETURN"
"""The table that takes the results, and that nobody can read."""
INWINDOW = "inwindow"
"""The table of the tuples in the window, which the system fills and empties."""


class Event(Enum):
    """When something is done."""

    INITIALIZE = "INITIALIZE"
    """The first tuple of a group has come."""
    ITERATE = "ITERATE"
    """Another tuple has come."""
    TERMINATE = "TERMINATE"
    """No more tuples are to come; in a window, a result is wanted."""
    EXPIRE = "EXPIRE"
    """The oldest tuple leaves the window, and is removed from it afterwards."""


@dataclass(frozen=True)
class LocalTable:
    """A table of the aggregate's own; each group has one."""

    name: str
    schema: Schema


@dataclass(frozen=True)
class InsertRows:
    """Put rows into a table, if a condition holds."""

    table: str
    rows: tuple[tuple[exp.Expr, ...], ...]
    condition: exp.Expr | None = None


@dataclass(frozen=True)
class InsertQuery:
    """Put what a query gives into a table."""

    table: str
    query: exp.Query


@dataclass(frozen=True)
class Update:
    """Change columns of the rows for which a condition holds. All values are computed from the rows as
    they were before."""

    table: str
    columns: tuple[str, ...]
    values: tuple[exp.Expr, ...]
    condition: exp.Expr | None = None


@dataclass(frozen=True)
class Delete:
    """Remove the rows for which a condition holds."""

    table: str
    condition: exp.Expr | None = None
    older: bool = False
    """Of `INWINDOW`, only tuples before the one that has just come. So it is where the condition compares
    them with that one: a tuple is not compared with itself."""


Action: TypeAlias = InsertRows | InsertQuery | Update | Delete


@dataclass(frozen=True)
class Body:
    """The whole definition, with names and types checked."""

    arguments: Schema
    returns: Schema
    tables: tuple[LocalTable, ...]
    window: LocalTable | None
    """`INWINDOW`, where it is declared; its columns have the types of the arguments."""
    events: Mapping[Event, tuple[Action, ...]]
    calls: Mapping[str, Aggregate] = field(default_factory=dict)
    """Base aggregates of the user's own that queries in it call, by name in small letters."""

    def actions(self) -> Iterator[Action]:
        for actions in self.events.values():
            yield from actions

    def table(self, name: str) -> LocalTable:
        """A table by its name, `INWINDOW` among them."""
        if self.window and name.lower() == INWINDOW:
            return self.window
        return next(table for table in self.tables if table.name.lower() == name.lower())
