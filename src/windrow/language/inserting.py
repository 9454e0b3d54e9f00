"""INSERT INTO … VALUES: the tuples that it brings to a stream, or the rows to a table."""

from __future__ import annotations

import pyarrow as pa
from sqlglot import exp

from windrow.catalog import Catalog, DerivedStream, Relation, Stream
from windrow.errors import Refused, Span, StatementError, UnknownName
from windrow.language import engine
from windrow.language.engine import Fault
from windrow.language.names import counted, suggest
from windrow.language.spans import span_of
from windrow.language.statements import InsertValues, Name
from windrow.language.tokens import DIALECT
from windrow.language.types import explained
from windrow.schema import Field, Schema


def inserted(statement: InsertValues, catalog: Catalog) -> tuple[Stream | Relation, pa.Table]:
    """Where the values go, and a row of each, with all columns; those not named are NULL."""
    target = _target(statement, catalog)
    fields = fields_named(statement.columns, target.arriving)
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
    return target, _evaluated(rows, fields, statement, target.arriving)


def _target(statement: InsertValues, catalog: Catalog) -> Stream | Relation:
    name = statement.target
    found = catalog.named(name.text)
    if found is None:
        known = [declared.name for declared in catalog.readable()]
        hint = suggest(name.text, known, "there are")
        raise UnknownName(f"there is no stream or table '{name}'", name.span, hint=hint)
    if isinstance(found, DerivedStream) or found not in catalog.readable():
        raise Refused(
            f"tuples of {found.name} come from its query, and from nowhere else"
            if isinstance(found, DerivedStream)
            else f"{found.name} takes no tuples from outside",
            name.span,
            hint="insert into a stream that a statement declares with its columns",
        )
    if isinstance(found, Stream) and statement.replace:
        raise Refused(
            f"{found.name} is a stream: what is on it stays",
            name.span,
            hint="leave OR REPLACE out, or insert into a table",
        )
    return found


def fields_named(columns: tuple[Name, ...] | None, schema: Schema, to: str = "insert into") -> list[Field]:
    """The columns that a statement fills: those that it names, or all."""
    if columns is None:
        return list(schema)
    fields: list[Field] = []
    for name in columns:
        field = schema.find(name.text)
        if field is None:
            hint = suggest(name.text, schema.names, "columns are")
            raise UnknownName(f"there is no column '{name}' to {to}", name.span, hint=hint)
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
    rows: list[list[str]], fields: list[Field], statement: InsertValues, schema: Schema
) -> pa.Table:
    given = ", ".join(f"({', '.join(row)})" for row in rows)
    names = ", ".join(_quoted(field.name) for field in fields)
    wanted = ", ".join(
        _quoted(field.name) if field in fields else f"CAST(NULL AS {field.type}) AS {_quoted(field.name)}"
        for field in schema
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
