"""Columns of any type cast to a schema's types, by DuckDB's rules; rows that will not are named."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.schema import Schema

_VALUE_SHOWN = 100


@dataclass(frozen=True, slots=True)
class CastRows:
    """The rows that could be cast, and for each one that could not its number and the reason."""

    rows: pa.Table
    failed: list[int]
    reasons: list[str]


def connected() -> duckdb.DuckDBPyConnection:
    """A DuckDB of one thread, in which a time with a zone means its UTC time."""
    connection = duckdb.connect()
    connection.execute("SET threads TO 1")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def quoted(name: str) -> str:
    """A name as SQL writes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


class Caster:
    """Casts tables to a schema. A column that a table does not have is NULL in every row."""

    def __init__(self, schema: Schema, *, from_json: Collection[str] = ()) -> None:
        self._schema = schema
        self._arrow = schema.arrow
        self._from_json = frozenset(from_json)
        self._connection = connected()

    def cast(self, table: pa.Table) -> CastRows:
        """Casts the columns named as the schema names them; others are left out."""
        cast = self._cast_columns(table)
        columns: list[pa.ChunkedArray[Any]] = []
        bad: list[tuple[str, str, Any]] = []
        for field, arrow in zip(self._schema, self._arrow, strict=True):
            given = table[field.name] if field.name in table.column_names else None
            if given is None:
                columns.append(pa.chunked_array([pa.nulls(len(table), arrow.type)]))
                continue
            column = cast.get(field.name, given)
            columns.append(column if column.type == arrow.type else column.cast(arrow.type))
            if column.null_count > given.null_count:
                bad.append((field.name, field.type, pc.and_(pc.is_null(column), pc.is_valid(given))))
        rows = pa.table(columns, schema=self._arrow)
        return _set_apart(rows, table, bad) if bad else CastRows(rows, [], [])

    def _cast_columns(self, table: pa.Table) -> dict[str, pa.ChunkedArray[Any]]:
        selected = [
            f"TRY_CAST({self._read(name)} AS {field.type}) AS {quoted(name)}"
            for field, arrow in zip(self._schema, self._arrow, strict=True)
            if (name := field.name) in table.column_names and table[name].type != arrow.type
        ]
        if not selected or not len(table):
            return {}
        self._connection.register("given", table)
        try:
            result = self._connection.sql(f"SELECT {', '.join(selected)} FROM given").to_arrow_table()
        finally:
            self._connection.unregister("given")
        return dict(zip(result.column_names, result.columns, strict=True))

    def _read(self, name: str) -> str:
        return f"CAST({quoted(name)} AS JSON)" if name in self._from_json else quoted(name)


def _set_apart(rows: pa.Table, given: pa.Table, bad: list[tuple[str, str, Any]]) -> CastRows:
    """Names for every bad row the first column that failed."""
    reason_of: dict[int, str] = {}
    for name, type_, mask in bad:
        numbers = np.flatnonzero(mask.to_numpy())
        values = given[name].take(numbers).to_pylist()
        for number, value in zip(numbers.tolist(), values, strict=True):
            if number not in reason_of:
                reason_of[number] = f"column {name}: {_shown_value(value)} is not {type_}"
    failed = sorted(reason_of)
    good = np.ones(len(rows), bool)
    good[failed] = False
    return CastRows(rows.filter(pa.array(good)), failed, [reason_of[number] for number in failed])


def _shown_value(value: object) -> str:
    text = str(value)
    return f"'{text}'" if len(text) <= _VALUE_SHOWN else f"'{text[:_VALUE_SHOWN]}…'"
