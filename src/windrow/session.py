"""Statements, carried out: one function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from windrow.asserting import check_error, check_rows
from windrow.catalog import Stream
from windrow.durations import format_duration
from windrow.errors import AssertionFailed, Error, Span, StatementError, UnknownName
from windrow.language import statements as said
from windrow.language.advancing import advanced
from windrow.language.define import check_drop
from windrow.language.inserting import inserted
from windrow.language.names import suggest
from windrow.language.parser import parse

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


def _create_stream(db: Database, statement: said.CreateStream | said.CreateDerivedStream) -> Outcome:
    if statement.if_not_exists and db.catalog.find(statement.name.text):
        return Outcome(statement.text, f"stream {statement.name} is there already")
    with told_within(statement.span):
        stream = db.define(statement.text)
    return Outcome(statement.text, f"stream {stream.name} created")


def _create_query(db: Database, statement: said.CreateQuery) -> Outcome:
    taken = {name.lower() for name in db.queries}
    if statement.if_not_exists and statement.name.text.lower() in taken:
        return Outcome(statement.text, f"query {statement.name} is there already")
    with told_within(statement.query.span):
        query = db.query(statement.query.text, statement.name.text)
    return Outcome(statement.text, f"query {query.name} created", query=query)


def _insert_query(db: Database, statement: said.InsertQuery) -> Outcome:
    with told_within(statement.query.span):
        query = db.query(statement.query.text, into=statement.uri.text)
    return Outcome(statement.text, f"query {query.name} writes to {statement.uri.text}", query=query)


def _select(db: Database, statement: said.QueryStatement) -> Outcome:
    with told_within(statement.query.span):
        return Outcome(statement.text, query=db.query(statement.query.text))


def _snapshot(db: Database, statement: said.SnapshotQuery) -> Outcome:
    with told_within(statement.query.span):
        return Outcome(statement.text, table=db.snapshot(statement.query.text))


def _insert_values(db: Database, statement: said.InsertValues) -> Outcome:
    stream, table = inserted(statement, db.catalog)
    count = db.push(stream.name, table)
    return Outcome(statement.text, f"{count} tuple{'' if count == 1 else 's'} inserted")


def _drop(db: Database, statement: said.Drop) -> Outcome:
    name = statement.name.text
    queries = {query.name: query.sql for query in db.queries.values()}
    if not check_drop(statement, db.catalog, queries):
        return Outcome(statement.text, f"there is no {statement.what} {name}")
    drop = db.drop_query if statement.what == "query" else db.drop_stream
    drop(name)
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


def _settings(db: Database) -> pa.Table:
    names, values, meanings = zip(*db.settings, strict=True)
    return pa.table({"setting": names, "value": values, "meaning": meanings})


def instant(clock: int | None) -> int | None:
    """A clock as a timestamp; None before the first instant and after the last."""
    return clock if clock is not None and abs(clock) < _END_OF_TIME else None


_END_OF_TIME = 2**62


def _describe(db: Database, statement: said.Describe) -> Outcome:
    name = statement.name.text
    found = db.catalog.find(name) or next(
        (query for query in db.queries.values() if query.name.lower() == name.lower()), None
    )
    if found is None:
        known = [stream.name for stream in db.catalog.streams.values()]
        hint = suggest(name, [*known, *db.queries], "there are")
        raise UnknownName(f"there is no stream or query {name}", statement.name.span, hint=hint)
    timestamp = found.timestamp if isinstance(found, Stream) else None
    names, types = [field.name for field in found.schema], [field.type for field in found.schema]
    roles = ["timestamp" if name == timestamp else "" for name in names]
    return Outcome(statement.text, table=pa.table({"column": names, "type": types, "role": roles}))


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
    "queries": _queries,
    "settings": _settings,
}

_RULES: dict[type[said.Statement], Callable[[Any, Any], Outcome]] = {
    said.CreateStream: _create_stream,
    said.CreateDerivedStream: _create_stream,
    said.CreateQuery: _create_query,
    said.InsertQuery: _insert_query,
    said.InsertValues: _insert_values,
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
