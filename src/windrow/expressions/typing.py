"""The type that an expression has by itself, as DuckDB names it."""

from __future__ import annotations

from sqlglot import exp

from windrow.expressions.engine import INPUT, connection
from windrow.expressions.statement import as_sql
from windrow.schema import Schema


def type_of(expression: exp.Expr, input_: Schema) -> str:
    """The type of an expression over columns of a schema."""
    quoted = (exp.to_identifier(field.name, quoted=True).sql(dialect="duckdb") for field in input_)
    columns = (f"NULL::{field.type} AS {name}" for field, name in zip(input_, quoted, strict=True))
    relation = f"(SELECT {', '.join(columns) or 'NULL'}) AS {INPUT}"
    return str(connection().sql(f"SELECT {as_sql(expression)} FROM {relation}").types[0])
