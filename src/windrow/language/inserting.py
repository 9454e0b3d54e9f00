"""INSERT INTO stream VALUES: the tuples that it brings."""

from __future__ import annotations

import pyarrow as pa
from sqlglot import exp

from windrow.catalog import Catalog, Stream
from windrow.errors import Refused, Span, StatementError, UnknownName
from windrow.language import engine
from windrow.language.engine import Fault
from windrow.language.names import counted, suggest
from windrow.language.spans import span_of
from windrow.language.statements import InsertValues
from windrow.language.tokens import DIALECT
from windrow.language.types import explained
from windrow.schema import Field


def inserted(statement: InsertValues, catalog: Catalog) -> tuple[Stream, pa.Table]:
    """The stream, and the tuples with all columns that arrive on it; those not named are NULL."""
    stream = _stream(statement, catalog)
    fields = _fields(statement, stream)
    for row in statement.rows:
        if len(row) != len(fields):
            raise Refused(
                f"{counted(len(row), 'value')} for {counted(len(fields), 'column')}",
                _place(row[-1], statement),
                hint=f"the columns are {', '.join(field.name for field in fields)}",
            )
    rows = [
        [_value(cell, field, statement) for cell, field in zip(row, fields, strict=True)]
        for row in statement.rows
    ]
    return stream, _evaluated(rows, fields, statement, stream)


def _stream(statement: InsertValues, catalog: Catalog) -> Stream:
    name = statement.stream
    found = catalog.find(name.text)
    if found is None:
        known = [stream.name for stream in catalog.streams.values()]
        raise UnknownName(
            f"there is no stream '{name}'", name.span, hint=suggest(name.text, known, "streams are")
        )
    if not isinstance(found, Stream) or found.name.lower() not in catalog.streams:
        raise Refused(
            f"tuples of {found.name} come from its query, and from nowhere else"
            if not isinstance(found, Stream)
            else f"{found.name} takes no tuples from outside",
            name.span,
            hint="insert into a stream that a statement declares with its columns",
        )
    return found


def _fields(statement: InsertValues, stream: Stream) -> list[Field]:
    if statement.columns is None:
        return list(stream.arriving)
    fields: list[Field] = []
    for name in statement.columns:
        field = stream.arriving.find(name.text)
        if field is None:
            hint = suggest(name.text, stream.arriving.names, "columns are")
            raise UnknownName(f"there is no column '{name}' to insert into", name.span, hint=hint)
        if field in fields:
            raise Refused(f"column {field.name} is named twice", name.span, hint="name each column once")
        fields.append(field)
    return fields


def _value(cell: exp.Expr, field: Field, statement: InsertValues) -> str:
    for node in cell.walk():
        if isinstance(node, exp.Query | exp.Star | exp.Placeholder | exp.Parameter):
            raise Refused(
                "VALUES takes plain values", _place(cell, statement), hint="write the value itself"
            )
        if isinstance(node, exp.Column):
            raise UnknownName(
                f"VALUES has no columns, so '{node.name}' means nothing",
                _place(node, statement),
                hint="text stands in single quotes",
            )
    return f"CAST({cell.sql(DIALECT)} AS {field.type})"


def _evaluated(
    rows: list[list[str]], fields: list[Field], statement: InsertValues, stream: Stream
) -> pa.Table:
    given = ", ".join(f"({', '.join(row)})" for row in rows)
    names = ", ".join(_quoted(field.name) for field in fields)
    wanted = ", ".join(
        _quoted(field.name) if field in fields else f"CAST(NULL AS {field.type}) AS {_quoted(field.name)}"
        for field in stream.arriving
    )
    try:
        return engine.evaluate(f"SELECT {wanted} FROM (VALUES {given}) AS given({names})")
    except Fault as fault:
        raise _culprit(rows, statement, fault) from None


def _culprit(rows: list[list[str]], statement: InsertValues, whole: Fault) -> StatementError:
    for row, cells in zip(rows, statement.rows, strict=True):
        for value, cell in zip(row, cells, strict=True):
            try:
                engine.evaluate(f"SELECT {value}")
            except Fault as fault:
                return explained(fault, _place(cell, statement))
    return explained(whole, statement.span)


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(DIALECT)


def _place(node: exp.Expr, statement: InsertValues) -> Span:
    return span_of(node, statement.source, statement.span)
