"""From CREATE STREAM, TABLE and NRR to what the catalog holds, and who uses what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from windrow.catalog import Catalog, DerivedStream, Readable, Relation, Stamping, Stream
from windrow.errors import Refused, Span, UnknownName
from windrow.language.aggregate_uses import aggregates_calling, callers_of
from windrow.language.binder import bind
from windrow.language.declared_names import check_columns
from windrow.language.named_queries import refuse_recursion
from windrow.language.names import an, counted, suggest
from windrow.language.parser import parse_query
from windrow.language.projection import renamed
from windrow.language.spans import span_of
from windrow.language.statements import (
    ColumnDefinition,
    CreateDerivedStream,
    CreateRelation,
    CreateStream,
    Drop,
    Duration,
    Name,
    Query,
)
from windrow.language.types import column_type
from windrow.plan.nodes import Node
from windrow.schema import Field, Schema

INTERNAL_COLUMN = "current_time"
_ROW_NUMBER = "rowid"


def define(
    statement: CreateStream | CreateDerivedStream | CreateRelation,
    catalog: Catalog,
    *,
    allow_unbounded: bool = False,
) -> Readable:
    """The stream or table that a statement declares; with IF NOT EXISTS, the one that is there."""
    existing = catalog.named(statement.name.text)
    if existing is not None:
        kind = _kind(existing)
        if statement.if_not_exists and kind == _kind(statement):
            return existing
        raise Refused(
            f"there is {an(kind)} {existing.name} already",
            statement.name.span,
            hint=f"drop it first: DROP {kind.upper()} {existing.name}",
        )
    if isinstance(statement, CreateRelation):
        return _relation(statement)
    _check_name(statement.name, "a stream", "NAME.late and NAME.rejected come with the stream NAME")
    if isinstance(statement, CreateDerivedStream):
        query = statement.query
        refuse_recursion(
            statement.name.text, query.tree, lambda part: span_of(part, query.source, query.span)
        )
        return _derived(statement, bind(statement.query, catalog, allow_unbounded=allow_unbounded))
    return _declared(statement)


def streams_named(query: Query) -> frozenset[str]:
    """What a query names in FROM, in small letters; S.late and S.rejected count as S."""
    names = (
        ".".join(part.name for part in table.parts).lower() for table in query.tree.find_all(exp.Table)
    )
    return frozenset(name.removesuffix(".late").removesuffix(".rejected") for name in names)


def users_of(name: str, catalog: Catalog, queries: Mapping[str, str]) -> tuple[str, ...]:
    """The derived streams, and the queries by name and text, that name a stream or table; sorted."""
    wanted = name.lower()
    streams = [
        stream.name
        for stream in catalog.streams.values()
        if isinstance(stream, DerivedStream) and wanted in stream.reads
    ]
    readers = [
        query_name for query_name, text in queries.items() if wanted in streams_named(parse_query(text))
    ]
    return tuple(sorted({*streams, *readers}))


def check_drop(statement: Drop, catalog: Catalog, queries: Mapping[str, str]) -> bool:
    """Whether there is anything to drop; refuses to drop what is unknown or in use."""
    known = _known(statement, catalog, queries)
    name = statement.name.text
    if name.lower() not in {other.lower() for other in known}:
        if statement.if_exists:
            return False
        other = catalog.relations.get(name.lower())
        hint = suggest(name, known, f"{_PLURALS[statement.what]} are")
        if other is not None:
            hint = f"{other.name} is {an(other.kind)}: DROP {other.kind.upper()} {other.name}"
        raise UnknownName(f"there is no {statement.what} '{name}'", statement.name.span, hint=hint)
    refuse_users(name, _users(statement, catalog, queries), statement.name.span)
    return True


def refuse_users(name: str, users: Sequence[str], span: Span) -> None:
    """Refuse to change what a name means while others use it."""
    if users:
        raise Refused(f"{name} is in use by {', '.join(users)}", span, hint="drop what uses it first")


_PLURALS = {
    "stream": "streams",
    "table": "tables",
    "NRR": "NRRs",
    "query": "queries",
    "aggregate": "aggregates",
    "window aggregate": "window aggregates",
}


def _known(statement: Drop, catalog: Catalog, queries: Mapping[str, str]) -> list[str]:
    """The names of all that there is of the kind that is to be dropped."""
    if statement.what == "stream":
        return [stream.name for stream in catalog.streams.values()]
    if statement.what in ("table", "NRR"):
        return [each.name for each in catalog.relations.values() if each.kind == statement.what]
    if statement.what == "query":
        return list(queries)
    versions = (each for versions in catalog.aggregates.values() for each in versions)
    kept = [each.name for each in versions if statement.what == "aggregate" or each.window]
    return list(dict.fromkeys(kept))


def _users(statement: Drop, catalog: Catalog, queries: Mapping[str, str]) -> tuple[str, ...]:
    name = statement.name.text
    match statement.what:
        case "query":
            return ()
        case "stream" | "table" | "NRR":
            return users_of(name, catalog, queries)
        case "window aggregate":
            return callers_of(name, catalog, queries)
        case _:
            return (*callers_of(name, catalog, queries), *aggregates_calling(name, catalog))


def _kind(declared: Readable | CreateStream | CreateDerivedStream | CreateRelation) -> str:
    if isinstance(declared, Relation | CreateRelation):
        return "table" if declared.retroactive else "NRR"
    return "stream"


def _check_name(name: Name, what: str, hint: str) -> None:
    if "." in name.text:
        raise Refused(f"the name of {what} cannot have a dot, as '{name}' has", name.span, hint=hint)


def _relation(statement: CreateRelation) -> Relation:
    kind = an(_kind(statement))
    _check_name(statement.name, kind, "write it with an underscore")
    check_columns([statement.name])
    schema = _schema(statement.columns)
    for column in statement.columns:
        if column.name.text.lower() == _ROW_NUMBER:
            raise Refused(
                f"the system numbers the rows of {kind} in {_ROW_NUMBER}",
                column.name.span,
                hint="give the column another name",
            )
    if not len(schema):
        raise Refused(
            f"{statement.name} is {kind} without a column",
            statement.name.span,
            hint="declare one before its key",
        )
    for name in statement.key:
        if schema.find(name.text) is None:
            hint = suggest(name.text, schema.names, "columns are")
            raise UnknownName(f"there is no column '{name}'", name.span, hint=hint)
    check_columns(statement.key)
    key = schema.keep(name.text for name in statement.key).names
    return Relation(statement.name.text, schema, key, statement.retroactive, statement.text)


def _schema(columns: Sequence[ColumnDefinition]) -> Schema:
    check_columns([column.name for column in columns])
    return Schema(tuple(Field(column.name.text, column_type(column.type)) for column in columns))


def _derived(statement: CreateDerivedStream, plan: Node) -> DerivedStream:
    if statement.columns is not None:
        if len(statement.columns) != len(plan.schema):
            raise Refused(
                f"{statement.name} names {counted(len(statement.columns), 'column')},"
                f" and its query gives {counted(len(plan.schema), 'column')}",
                statement.columns[-1].span,
                hint="name each column once",
            )
        check_columns(statement.columns)
        plan = renamed(plan, [column.text for column in statement.columns])
    return DerivedStream(statement.name.text, plan, statement.text, streams_named(statement.query))


def _declared(statement: CreateStream) -> Stream:
    schema = _schema(statement.columns)
    stamping, timestamp = _stamping(statement, schema)
    if statement.slack and stamping is not Stamping.EXTERNAL:
        raise Refused(
            f"SLACK waits for late tuples, and {statement.name} stamps its tuples on arrival",
            statement.slack.span,
            hint="leave SLACK out, or ORDER BY a timestamp column that the tuples bring",
        )
    stream = Stream(
        statement.name.text,
        schema,
        stamping,
        timestamp,
        slack=_microseconds(statement.slack) or 0,
        retain=_microseconds(statement.retain) or 0,
        heartbeat=_microseconds(statement.heartbeat),
        source=statement.uri.text if statement.uri else None,
        sql=statement.text,
    )
    if not len(stream.arriving):
        raise Refused(
            f"the tuples of {statement.name} would bring no column",
            statement.name.span,
            hint=f"declare a column besides {INTERNAL_COLUMN}",
        )
    return stream


def _microseconds(duration: Duration | None) -> int | None:
    return duration.microseconds if duration else None


def _stamping(statement: CreateStream, schema: Schema) -> tuple[Stamping, str | None]:
    """Who stamps the tuples, and the timestamp column as declared."""
    order_by = statement.order_by
    if order_by is None:
        return Stamping.LATENT, None
    column = schema.find(order_by.text)
    internal = order_by.text.lower() == INTERNAL_COLUMN
    if column is None and internal:
        raise Refused(
            f"ORDER BY {INTERNAL_COLUMN} stamps tuples into a column that is not declared",
            order_by.span,
            hint=f"add a column {INTERNAL_COLUMN} timestamp",
        )
    if column is None:
        hint = suggest(order_by.text, schema.names, "columns are")
        raise UnknownName(f"there is no column '{order_by}'", order_by.span, hint=hint)
    if column.type != "TIMESTAMP":
        raise Refused(
            f"ORDER BY takes a TIMESTAMP, and {column.name} is {column.type}",
            order_by.span,
            hint=f"declare {column.name} as TIMESTAMP, which counts microseconds without a time zone",
        )
    return (Stamping.INTERNAL if internal else Stamping.EXTERNAL), column.name
