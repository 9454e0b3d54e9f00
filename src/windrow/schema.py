"""Columns and their types. A type is named as DuckDB names it; Arrow carries it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import duckdb
import pyarrow as pa


@functools.cache
def arrow_type(duckdb_type: str) -> pa.DataType:
    """The Arrow type that DuckDB gives values of one of its types, with time zones as windrow has them."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        result: pa.DataType = connection.sql(f"SELECT NULL::{duckdb_type}").to_arrow_table().field(0).type
    return result


@dataclass(frozen=True, slots=True)
class Field:
    """A named, typed column."""

    name: str
    type: str

    @property
    def arrow(self) -> pa.Field[pa.DataType]:
        return pa.field(self.name, arrow_type(self.type))


@dataclass(frozen=True, slots=True)
class Schema:
    """Columns in order. Names are unique, and equal whatever their case."""

    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        names = [field.name.lower() for field in self.fields]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"a schema names a column twice: {', '.join(twice)}")

    @classmethod
    def of(cls, *columns: tuple[str, str]) -> Schema:
        return cls(tuple(Field(name, type_) for name, type_ in columns))

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    def find(self, name: str) -> Field | None:
        return next((f for f in self.fields if f.name.lower() == name.lower()), None)

    def keep(self, names: Iterable[str]) -> Schema:
        """The columns named, in this schema's order."""
        kept = {name.lower() for name in names}
        return Schema(tuple(f for f in self.fields if f.name.lower() in kept))

    @property
    def arrow(self) -> pa.Schema:
        return pa.schema([field.arrow for field in self.fields])
