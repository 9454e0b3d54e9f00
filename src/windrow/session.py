"""Statements, carried out: one function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from windrow import changing
from windrow.asserting import check_error, check_rows
from windrow.catalog import Aggregate, Relation, Stream
from windrow.durations import format_duration
from windrow.errors import (
    AssertionFailed,
    Error,
    Refused,
    SinkError,
    SourceError,
    Span,
    StatementError,
    UnknownName,
)
from windrow.language import statements as said
from windrow.language.advancing import advanced
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.define import check_drop, define
from windrow.language.inserting import inserted
from windrow.language.names import counted, suggest
from windrow.language.parser import parse
from windrow.schema import Schema

if TYPE_CHECKING:
    from windrow.database import Database, Query


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a statement came to: a message, a table, a running query; or some of them."""

    text: str
    message: str | None = None
    table: pa.Table | None = None
    query: Query | None = None


def execute(db: Database, sql: str) -> list[Outcome]:
    """Carry out statements in order. What is wrong with the text is told before anything runs."""
    return [_RULES[type(statement)](db, statement) for statement in parse(sql)]


@contextmanager
def told_within(part: Span) -> Iterator[None]:
    """Errors in a part of a text that is read again by itself are told where they stand in the whole."""
    try:
        yield
    except StatementError as error:
        error.span = error.span.within(part)
        raise


@contextmanager
def _told_at(uri: said.Text | None) -> Iterator[None]:
    """What a source or a sink has against its URI is told where that stands."""
    try:
        yield
    except Error as error:
        if uri is None or type(error) not in (Error, SourceError, SinkError):
            raise
        raise Refused(error.message, uri.span, hint=error.hint) from None


def _create(
    db: Database, statement: said.CreateStream | said.CreateDerivedStream | said.CreateRelation
) -> Outcome:
    there = statement.if_not_exists and db.catalog.named(statement.name.text) is not None
    uri = statement.uri if isinstance(statement, said.CreateStream) else None
    with _told_at(uri), told_within(statement.span):
        found = define(statement, db.catalog) if there else db.define(statement.text)
    kind = found.kind if isinstance(found, Relation) else "stream"
    if there:
        return Outcome(statement.text, f"{kind} {statement.name} is there already")
    return Outcome(statement.text, f"{kind} {found.name} created")


def _create_aggregate(db: Database, statement: CreateAggregate) -> Outcome:
    kind = "window aggregate" if statement.window else "aggregate"
    if statement.python and not db.allows_python:
        raise Refused(
            f"{statement.name} is written in Python, which nobody may bring here",
            statement.python.span,
            hint="write it in SQL, or have the database opened with allow_python=True",
        )
    if statement.if_not_exists and db.catalog.aggregate(statement.name.text, window=statement.window):
        return Outcome(statement.text, f"{kind} {statement.name} is there already")
    with told_within(statement.span):
        aggregate = db.define(statement.text)
    return Outcome(statement.text, f"{kind} {aggregate.name} created")


def _create_query(db: Database, statement: said.CreateQuery) -> Outcome:
    taken = {name.lower() for name in db.queries}
    if statement.if_not_exists and statement.name.text.lower() in taken:
        return Outcome(statement.text, f"query {statement.name} is there already")
    with told_within(statement.query.span):
        query = db.query(statement.query.text, statement.name.text)
    return Outcome(statement.text, f"query {query.name} created", query=query)


def _insert_query(db: Database, statement: said.InsertQuery) -> Outcome:
    with _told_at(statement.uri), told_within(statement.query.span):
        query = db.query(statement.query.text, into=statement.uri.text)
    return Outcome(statement.text, f"query {query.name} writes to {statement.uri.text}", query=query)


def _select(db: Database, statement: said.QueryStatement) -> Outcome:
    with told_within(statement.query.span):
        return Outcome(statement.text, query=db.query(statement.query.text))


def _snapshot(db: Database, statement: said.SnapshotQuery) -> Outcome:
    with told_within(statement.query.span):
        return Outcome(statement.text, table=db.snapshot(statement.query.text))


def _insert_values(db: Database, statement: said.InsertValues) -> Outcome:
    target, rows = inserted(statement, db.catalog)
    if isinstance(target, Relation):
        return Outcome(statement.text, changing.insert_values(db, statement, target, rows))
    return Outcome(statement.text, f"{counted(db.push(target.name, rows), 'tuple')} inserted")


def _changes_table(carry_out: Callable[[Any, Any], str]) -> Callable[[Database, said.Statement], Outcome]:
    return lambda db, statement: Outcome(statement.text, carry_out(db, statement))


def _drop(db: Database, statement: said.Drop) -> Outcome:
    name = statement.name.text
    if not check_drop(statement, db.catalog, db.texts()):
        return Outcome(statement.text, f"there is no {statement.what} {name}")
    match statement.what:
        case "query":
            db.drop_query(name)
        case "stream" | "table" | "NRR":
            db.drop(name)
        case _:
            db.drop_aggregate(name, base=statement.what == "aggregate")
    return Outcome(statement.text, f"{statement.what} {name} dropped")


def _show(db: Database, statement: said.Show) -> Outcome:
    return Outcome(statement.text, table=_SHOWN[statement.what](db))


def _streams(db: Database) -> pa.Table:
    counts = {metrics.name: metrics for metrics in db.metrics().streams}
    rows = []
    for stream in db.catalog.streams.values():
        told = counts.get(stream.name)
        rows.append(
            {
                "stream": stream.name,
                "kind": stream.stamping.value if isinstance(stream, Stream) else "derived",
                "source": stream.source if isinstance(stream, Stream) else None,
                "accepted": told and told.accepted,
                "late": told and told.late,
                "rejected": told and told.rejected,
                "clock": told and instant(told.clock),
            }
        )
    return pa.Table.from_pylist(rows, schema=_STREAMS)


_TEXT, _COUNT = pa.string(), pa.int64()
_STREAMS = (
    pa.schema([])
    .append(pa.field("stream", _TEXT))
    .append(pa.field("kind", _TEXT))
    .append(pa.field("source", _TEXT))
    .append(pa.field("accepted", _COUNT))
    .append(pa.field("late", _COUNT))
    .append(pa.field("rejected", _COUNT))
    .append(pa.field("clock", pa.timestamp("us")))
)


def _queries(db: Database) -> pa.Table:
    told = list(db.queries.values())
    columns = {
        "query": pa.array([query.name for query in told], pa.string()),
        "sink": pa.array([query.sink for query in told], pa.string()),
        "tuples_out": pa.array([query.metrics()["tuples_out"] for query in told], pa.int64()),
        "clock": pa.array([instant(query.clock) for query in told], pa.timestamp("us")),
        "sql": pa.array([" ".join(query.sql.split()) for query in told], pa.string()),
    }
    return pa.table(columns)


def _aggregates(db: Database) -> pa.Table:
    rows = [
        {
            "aggregate": aggregate.name,
            "kind": _kind(aggregate),
            "arguments": _listed(aggregate.parameters),
            "returns": _listed(aggregate.returns),
            "blocking": aggregate.blocking,
        }
        for versions in db.catalog.aggregates.values()
        for aggregate in versions
    ]
    return pa.Table.from_pylist(rows, schema=_AGGREGATES)


def _kind(aggregate: Aggregate) -> str:
    words = ["algebraic"] if aggregate.algebraic else []
    words += ["window" if aggregate.window else "base"]
    return " ".join(words if aggregate.python is None else [*words, "in Python"])


def _listed(schema: Schema) -> str:
    return ", ".join(f"{field.name} {field.type}".strip() for field in schema)


_AGGREGATES = (
    pa.schema([])
    .append(pa.field("aggregate", _TEXT))
    .append(pa.field("kind", _TEXT))
    .append(pa.field("arguments", _TEXT))
    .append(pa.field("returns", _TEXT))
    .append(pa.field("blocking", pa.bool_()))
)


def _settings(db: Database) -> pa.Table:
    names, values, meanings = zip(*db.settings, strict=True)
    return pa.table({"setting": names, "value": values, "meaning": meanings})


def instant(clock: int | None) -> int | None:
    """A clock as a timestamp; None before the first instant and after the last."""
    return clock if clock is not None and abs(clock) < _END_OF_TIME else None


_END_OF_TIME = 2**62


def _describe(db: Database, statement: said.Describe) -> Outcome:
    name = statement.name.text
    found = db.catalog.named(name) or next(
        (query for query in db.queries.values() if query.name.lower() == name.lower()), None
    )
    if found is None and (versions := db.catalog.aggregates.get(name.lower())):
        return Outcome(statement.text, table=_told_of(versions))
    if found is None:
        known = [each.name for each in db.catalog.readable()]
        known += [versions[0].name for versions in db.catalog.aggregates.values()]
        hint = suggest(name, [*known, *db.queries], "there are")
        raise UnknownName(
            f"there is no stream, table, query or aggregate {name}", statement.name.span, hint=hint
        )
    timestamp = found.timestamp if isinstance(found, Stream) else None
    names, types = [field.name for field in found.schema], [field.type for field in found.schema]
    special = dict.fromkeys(found.key, "key") if isinstance(found, Relation) else {timestamp: "timestamp"}
    roles = [special.get(name, "") for name in names]
    return Outcome(statement.text, table=pa.table({"column": names, "type": types, "role": roles}))


def _told_of(versions: Sequence[Aggregate]) -> pa.Table:
    """The columns that the versions of an aggregate take and give."""
    rows = [
        {"column": field.name, "type": field.type, "role": f"{role} ({_kind(aggregate)})"}
        for aggregate in versions
        for role, schema in (("argument", aggregate.parameters), ("result", aggregate.returns))
        for field in schema
    ]
    return pa.Table.from_pylist(rows)


def _explain(db: Database, statement: said.Explain) -> Outcome:
    with told_within(statement.query.span):
        return Outcome(statement.text, db.explain(statement.query.text, statement.format))


def _set(db: Database, statement: said.SetSetting) -> Outcome:
    db.settings.set(statement.name.text, statement.value.text)
    return Outcome(statement.text, f"{statement.name} = {statement.value.text}")


def _advance(db: Database, statement: said.AdvanceStream) -> Outcome:
    stream, clock = advanced(statement, db.catalog)
    db.advance(stream.name, clock)
    return Outcome(statement.text, f"{stream.name} is at {statement.instant.text}")


def _advance_clock(db: Database, statement: said.AdvanceClock) -> Outcome:
    db.advance_clock(statement.by.microseconds)
    return Outcome(statement.text, f"{format_duration(statement.by.microseconds)} have passed")


def _assert_rows(db: Database, statement: said.AssertRows) -> Outcome:
    check_rows(db, statement)
    return Outcome(statement.text, f"the {statement.what} of {statement.name}: as asserted")


def _assert_error(db: Database, statement: said.AssertError) -> Outcome:
    try:
        with told_within(statement.statement.span):
            execute(db, statement.statement.text)
    except Error as error:
        check_error(error, statement)
        return Outcome(statement.text, f"refused as asserted: {error.message}")
    raise AssertionFailed("no error came", statement.statement.span)


_SHOWN: dict[str, Callable[[Database], pa.Table]] = {
    "streams": _streams,
    "tables": changing.tables,
    "queries": _queries,
    "aggregates": _aggregates,
    "settings": _settings,
}

_RULES: dict[type[said.Statement], Callable[[Any, Any], Outcome]] = {
    said.CreateStream: _create,
    said.CreateDerivedStream: _create,
    said.CreateRelation: _create,
    CreateAggregate: _create_aggregate,
    said.CreateQuery: _create_query,
    said.InsertQuery: _insert_query,
    said.InsertValues: _insert_values,
    said.InsertSelect: _changes_table(changing.insert_select),
    said.Update: _changes_table(changing.update),
    said.Delete: _changes_table(changing.delete),
    said.QueryStatement: _select,
    said.SnapshotQuery: _snapshot,
    said.Drop: _drop,
    said.Show: _show,
    said.Describe: _describe,
    said.Explain: _explain,
    said.SetSetting: _set,
    said.AdvanceStream: _advance,
    said.AdvanceClock: _advance_clock,
    said.AssertRows: _assert_rows,
    said.AssertError: _assert_error,
}
