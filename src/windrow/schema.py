"""Columns and their types. A type is named as DuckDB names it; Arrow carries it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

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
    _by_name: Mapping[str, Field] = field(init=False, repr=False, compare=False)
    """In small letters."""

    def __post_init__(self) -> None:
        by_name = {each.name.lower(): each for each in self.fields}
        if len(by_name) < len(self.fields):
            names = [each.name.lower() for each in self.fields]
            twice = sorted(name for name in by_name if names.count(name) > 1)
            raise ValueError(f"a schema names a column twice: {', '.join(twice)}")
        object.__setattr__(self, "_by_name", by_name)

    @classmethod
    def of(cls, *columns: tuple[str, str]) -> Schema:
        return cls(tuple(Field(name, type_) for name, type_ in columns))

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.fields)

    def find(self, name: str) -> Field | None:
        return self._by_name.get(name.lower())

    def keep(self, names: Iterable[str]) -> Schema:
        """The columns named, in this schema's order."""
        kept = {name.lower() for name in names}
        return Schema(tuple(f for f in self.fields if f.name.lower() in kept))

    @property
    def arrow(self) -> pa.Schema:
        return pa.schema([each.arrow for each in self.fields])
