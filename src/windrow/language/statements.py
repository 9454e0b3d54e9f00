"""The statements of the language, as they were written: nothing here is looked up or typed yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from windrow.errors import Span
from windrow.language.tokens import Source
from windrow.plan.windows import Extent


@dataclass(frozen=True)
class Name:
    """A name and where it stands; of a name in parts, the text has dots."""

    text: str
    span: Span

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Duration:
    """A length of time in microseconds."""

    microseconds: int
    span: Span


@dataclass(frozen=True)
class Text:
    """A string literal, such as a URI."""

    text: str
    span: Span


@dataclass(frozen=True)
class WindowClause:
    """[RANGE …] or the like, behind a stream, a subquery or Wstream(…): `meta["window"]` of the tree's
    Table, Subquery or Anonymous."""

    extent: Extent
    size: int
    """Microseconds or tuples; [NOW] is one microsecond, [UNBOUNDED] is NEVER."""
    span: Span
    slide: int | None = None
    partition: tuple[Name, ...] = ()
    internal: bool = False


@dataclass(frozen=True)
class FrameClause:
    """What stands in OVER (…) behind PARTITION BY: `meta["frame"]` of the tree's Window."""

    extent: Extent
    size: int | None
    """The number before PRECEDING, in microseconds or tuples; None: UNBOUNDED."""
    span: Span
    slide: int | None = None
    active: bool = False


@dataclass(frozen=True)
class OutputClause:
    """Istream(…) and the like around a SELECT list: `meta["output"]` of the tree's Select."""

    kind: Literal["Istream", "Dstream", "Rstream", "Wstream"]
    span: Span
    restore: bool = False
    window: WindowClause | None = None
    """Of Wstream."""


@dataclass(frozen=True, eq=False)
class Query:
    """A query as sqlglot's tree, with the text that its places refer to."""

    tree: exp.Query
    source: Source
    span: Span
    text: str


@dataclass(frozen=True)
class ColumnDefinition:
    """A column of CREATE STREAM or CREATE TABLE; the type is still text."""

    name: Name
    type: Text


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement: where it begins, and its own text without the separator."""

    span: Span
    text: str


@dataclass(frozen=True, kw_only=True)
class CreateStream(Statement):
    """CREATE STREAM name (column type, …) with its clauses."""

    name: Name
    columns: tuple[ColumnDefinition, ...]
    order_by: Name | None = None
    slack: Duration | None = None
    retain: Duration | None = None
    heartbeat: Duration | None = None
    uri: Text | None = None
    if_not_exists: bool = False


@dataclass(frozen=True, kw_only=True)
class CreateDerivedStream(Statement):
    """CREATE STREAM name [(column, …)] AS query."""

    name: Name
    columns: tuple[Name, ...] | None
    query: Query
    if_not_exists: bool = False


@dataclass(frozen=True, kw_only=True)
class CreateRelation(Statement):
    """CREATE TABLE name (column type, …, PRIMARY KEY (column, …)), or CREATE NRR."""

    name: Name
    columns: tuple[ColumnDefinition, ...]
    key: tuple[Name, ...] = ()
    retroactive: bool = True
    if_not_exists: bool = False


@dataclass(frozen=True, kw_only=True)
class CreateQuery(Statement):
    """CREATE QUERY name AS query: a persistent query under a name."""

    name: Name
    query: Query
    if_not_exists: bool = False


@dataclass(frozen=True, kw_only=True)
class QueryStatement(Statement):
    """A query by itself."""

    query: Query


@dataclass(frozen=True, kw_only=True)
class SnapshotQuery(Statement):
    """SNAPSHOT query: asked once, over all that has arrived."""

    query: Query


@dataclass(frozen=True, kw_only=True)
class InsertQuery(Statement):
    """INSERT INTO 'uri' query: a persistent query whose results go to a sink."""

    uri: Text
    query: Query


@dataclass(frozen=True, kw_only=True)
class InsertValues(Statement):
    """INSERT INTO name [(column, …)] VALUES (…), …: tuples that arrive on a stream now, or rows of a
    table."""

    target: Name
    columns: tuple[Name, ...] | None
    rows: tuple[tuple[exp.Expr, ...], ...]
    source: Source
    replace: bool = False
    """INSERT OR REPLACE: rows of the table that have the same key give way."""


@dataclass(frozen=True, kw_only=True)
class InsertSelect(Statement):
    """INSERT INTO table [(column, …)] query, where the query reads tables as they are now."""

    target: Name
    columns: tuple[Name, ...] | None
    query: Query
    replace: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Update(Statement):
    """UPDATE table SET column = expression, … [WHERE condition]."""

    target: Name
    columns: tuple[Name, ...]
    values: tuple[exp.Expr, ...]
    condition: exp.Expr | None
    source: Source


@dataclass(frozen=True, kw_only=True, eq=False)
class Delete(Statement):
    """DELETE FROM table [WHERE condition]."""

    target: Name
    condition: exp.Expr | None
    source: Source


@dataclass(frozen=True, kw_only=True)
class Show(Statement):
    """SHOW STREAMS, TABLES, QUERIES, AGGREGATES or SETTINGS."""

    what: Literal["streams", "tables", "queries", "aggregates", "settings"]


@dataclass(frozen=True, kw_only=True)
class Describe(Statement):
    """DESCRIBE name."""

    name: Name


@dataclass(frozen=True, kw_only=True)
class Drop(Statement):
    """DROP STREAM, TABLE, NRR, QUERY, AGGREGATE or, leaving its base version, WINDOW AGGREGATE."""

    what: Literal["stream", "table", "NRR", "query", "aggregate", "window aggregate"]
    name: Name
    if_exists: bool = False


@dataclass(frozen=True, kw_only=True)
class Explain(Statement):
    """EXPLAIN [TEXT | JSON | DOT] query."""

    format: Literal["text", "json", "dot"]
    query: Query


@dataclass(frozen=True, kw_only=True)
class SetSetting(Statement):
    """SET name = value."""

    name: Name
    value: Text


@dataclass(frozen=True, kw_only=True)
class AdvanceStream(Statement):
    """ADVANCE stream TO TIMESTAMP '…': all tuples up to and including this instant are in."""

    stream: Name
    instant: Text


@dataclass(frozen=True, kw_only=True)
class AdvanceClock(Statement):
    """ADVANCE CLOCK BY 5 SECONDS: moves a wall clock that stands still by itself."""

    by: Duration


@dataclass(frozen=True, kw_only=True)
class AssertRows(Statement):
    """ASSERT ANSWER OF query AS (…) or IS EMPTY; ASSERT CHANGES OF query [WITH TIMES] likewise."""

    what: Literal["answer", "changes"]
    name: Name
    rows: Query | None
    """None: IS EMPTY."""
    times: bool = False
    """Whether the rows have the instants of the changes, behind the operation."""


@dataclass(frozen=True, kw_only=True)
class AssertError(Statement):
    """ASSERT ERROR 'part of the message' FOR statement."""

    part: Text
    statement: Text
