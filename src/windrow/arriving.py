"""Rows and instants as Python programs give them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from windrow.catalog import Relation, Stream
from windrow.errors import SourceError

Instant = int | str | datetime
"""Microseconds since 1970, ISO text, or a datetime (naive ones are UTC)."""


_FARTHEST = 2**62


def as_microseconds(instant: Instant) -> int:
    if isinstance(instant, int):
        if abs(instant) > _FARTHEST:
            raise SourceError(f"{instant} microseconds are no instant", hint="count them from 1970")
        return instant
    if isinstance(instant, str):
        try:
            instant = datetime.fromisoformat(instant)
        except ValueError as error:
            raise SourceError(
                f"'{instant}' is no instant", hint="write it like 2026-01-31 12:00:00"
            ) from error
    aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    since = aware - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def as_arriving(target: Stream | Relation, rows: pa.Table | pa.RecordBatch | Iterable[Any]) -> pa.Table:
    """Rows as a table of the columns that arrive there: an Arrow table (columns by name), mappings
    (columns by name, missing ones NULL), or sequences (columns by position)."""
    wanted = target.arriving.arrow
    try:
        if isinstance(rows, pa.Table | pa.RecordBatch):
            return _by_name(rows, wanted)
        return _from_python(_listed(rows), wanted)
    except (ValueError, TypeError, OverflowError, NotImplementedError) as error:
        raise SourceError(
            f"the rows do not fit {target.name}: {error}",
            hint=f"its columns are: {', '.join(f'{f.name} {f.type}' for f in target.arriving)}",
        ) from error


def _by_name(rows: pa.Table | pa.RecordBatch, wanted: pa.Schema) -> pa.Table:
    places = {name.lower(): place for place, name in enumerate(rows.schema.names)}
    missing = [name for name in wanted.names if name.lower() not in places]
    if missing or len(places) > len(wanted):
        given = ", ".join(rows.schema.names)
        raise pa.ArrowInvalid(f"columns given: {given}; columns needed: {', '.join(wanted.names)}")
    chosen = [rows.column(places[name.lower()]) for name in wanted.names]
    table = pa.table(chosen, names=wanted.names).cast(wanted)
    table.validate(full=True)  # text that is not UTF-8 would be the end of DuckDB
    return table


def _listed(rows: Iterable[Any]) -> list[Any]:
    """The rows; each a mapping, or each a sequence of values."""
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
        raise TypeError(f"{rows!r} is not a list of rows")
    listed = list(rows)
    mappings = bool(listed) and isinstance(listed[0], Mapping)
    for row in listed:
        wrong = (str, bytes, Set) if mappings else (str, bytes, Set, Mapping)
        if isinstance(row, wrong) or not isinstance(row, Mapping if mappings else Collection):
            raise TypeError(f"{row!r} is not a {'mapping' if mappings else 'sequence'} of values")
    return listed


def _from_python(rows: list[Any], wanted: pa.Schema) -> pa.Table:
    if rows and isinstance(rows[0], Mapping):
        known = {name.lower() for name in wanted.names}
        lowered = [{str(name).lower(): value for name, value in row.items()} for row in rows]
        for row in lowered:
            if unknown := [name for name in row if name not in known]:
                raise pa.ArrowInvalid(f"no column {unknown[0]}")
        columns = [[row.get(name.lower()) for row in lowered] for name in wanted.names]
    else:
        if wrong := next((row for row in rows if len(row) != len(wanted)), None):
            raise pa.ArrowInvalid(f"{len(wanted)} values are needed, {wrong!r} has {len(wrong)}")
        columns = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in wanted]
    return pa.table(
        [_array(column, field.type) for column, field in zip(columns, wanted, strict=True)], schema=wanted
    )


def _array(values: list[Any], type_: pa.DataType) -> pa.Array[Any]:
    """Values as an array; text is cast to what is no text, as DuckDB would."""
    made: pa.Array[Any]
    if pa.types.is_timestamp(type_):
        values = [as_microseconds(v) if isinstance(v, str | datetime) else v for v in values]
        made = pa.array(values).cast(pa.int64()).cast(type_)
    elif pa.types.is_integer(type_):  # asked for integers at once, Arrow cuts fractions off
        made = pa.array(values).cast(type_)
    else:
        try:
            made = pa.array(values, type_)
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            made = pa.array(values).cast(type_)
    return made
