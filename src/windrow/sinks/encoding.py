"""Tables as text: CSV and JSON lines, written a column at a time.

What CSV has no form for (lists, structs, maps, intervals, bytes) is written as DuckDB casts it to
VARCHAR. JSON has no number that is not finite, so such a number is written as a string.
"""

from __future__ import annotations

import functools
from typing import Any, Literal

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.types as pt

Text = Literal["csv", "json"]
TEXTS: tuple[Text, ...] = ("csv", "json")


@functools.cache
def _engine() -> duckdb.DuckDBPyConnection:
    engine = duckdb.connect(config={"arrow_large_buffer_size": "true"})
    engine.execute("SET TimeZone = 'UTC'")
    return engine


def _project(table: pa.Table, expressions: str) -> pa.Table:
    with _engine().cursor() as cursor:
        projected: pa.Table = cursor.from_arrow(table).project(expressions).to_arrow_table()
    return projected


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _has_no_csv_form(type_: pa.DataType) -> bool:
    return bool(
        pt.is_nested(type_)
        or pt.is_interval(type_)
        or pt.is_binary(type_)
        or pt.is_large_binary(type_)
        or pt.is_fixed_size_binary(type_)
    )


def text(table: pa.Table, form: Text, *, header: bool = False) -> list[pa.Buffer]:
    """The table as lines of text, in pieces to be put one after another."""
    return [csv(table, header=header)] if form == "csv" else json_lines(table)


def csv(table: pa.Table, *, header: bool) -> pa.Buffer:
    """The table as CSV; text is quoted, so that a NULL (nothing) is not the empty text ("")."""
    if any(_has_no_csv_form(field.type) for field in table.schema):
        columns = (
            f"{_quoted(f.name)}::VARCHAR AS {_quoted(f.name)}"
            if _has_no_csv_form(f.type)
            else _quoted(f.name)
            for f in table.schema
        )
        table = _project(table, ", ".join(columns))
    out = pa.BufferOutputStream()
    pa_csv.write_csv(table, out, pa_csv.WriteOptions(include_header=header))
    return out.getvalue()


def as_text(table: pa.Table) -> pa.Table:
    """Every column as DuckDB casts it to VARCHAR."""
    return _project(table, ", ".join(f"{_quoted(n)}::VARCHAR AS {_quoted(n)}" for n in table.column_names))


def json_lines(table: pa.Table) -> list[pa.Buffer]:
    """The table as JSON lines, in pieces to be put one after another."""
    if len(table) == 0:
        return []
    text = json_objects(table, end="\n")
    return [_characters(chunk) for chunk in text.chunks if len(chunk)]


def json_objects(table: pa.Table, *, end: str = "") -> pa.ChunkedArray[Any]:
    """A JSON object for each row, as text."""
    members = ", ".join(
        f"{_literal(name)}, {_json_value(name, table[name])}" for name in table.column_names
    )
    closing = f" || chr({ord(end)})" if end else ""
    return _project(table, f"json_object({members}){closing} AS object")["object"]


def _json_value(name: str, column: pa.ChunkedArray[Any]) -> str:
    value = _quoted(name)
    if pt.is_floating(column.type) and not pc.all(pc.is_finite(column), min_count=0).as_py():
        word = f"CASE WHEN isnan({value}) THEN 'NaN' ELSE {value}::VARCHAR END"
        return f"CASE WHEN isfinite({value}) THEN to_json({value}) ELSE to_json({word}) END"
    return value


def _characters(chunk: pa.Array[Any]) -> pa.Buffer:
    """The bytes of a text column's values, which lie one after another already."""
    _, offsets, characters = chunk.buffers()
    if offsets is None or characters is None:
        return pa.py_buffer(b"")
    width = 8 if pt.is_large_string(chunk.type) else 4
    bounds = memoryview(offsets).cast("q" if width == 8 else "i")
    start, end = bounds[chunk.offset], bounds[chunk.offset + len(chunk)]
    return characters.slice(start, end - start)
