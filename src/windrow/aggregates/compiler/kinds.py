"""Types that compiled code knows, and how a table's columns lie in arrays of numbers.

Whole numbers, instants and truth values lie in an array of 64-bit integers, strings by their code in a
dictionary; floating numbers in one of 64 bits, which holds those of 32 without loss. A third array tells
which values are NULL.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from windrow.schema import Schema


class CannotCompile(Exception):
    """What an aggregate has that only the interpreter knows; the message names it."""


class Family(Enum):
    """How values of a type are computed with."""

    INTEGER = "integer"
    FLOAT = "float"
    BOOLEAN = "boolean"
    INSTANT = "instant"
    STRING = "string"
    INTERVAL = "interval"
    """Microseconds; compared and added, but never kept."""
    WIDE = "wide"
    """Sums of integers, of 128 bits: cast to something narrower, but never kept."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A type."""

    sql: str
    family: Family
    low: int = 0
    high: int = 0
    """The range of integers."""

    @property
    def zero(self) -> str:
        """Some value, as Python writes it."""
        if self.family is Family.FLOAT:
            return "np.float32(0.0)" if self.is_narrow else "0.0"
        return "False" if self.family is Family.BOOLEAN else "0"

    @property
    def is_narrow(self) -> bool:
        """Whether it is a floating number of 32 bits."""
        return self.sql == "FLOAT"

    @property
    def is_stored(self) -> bool:
        return self.family not in (Family.INTERVAL, Family.WIDE)


def _integer(sql: str, bits: int, *, signed: bool = True) -> Kind:
    span = 1 << bits
    return Kind(sql, Family.INTEGER, -span // 2 if signed else 0, span // 2 - 1 if signed else span - 1)


BIGINT = _integer("BIGINT", 64)
BOOLEAN = Kind("BOOLEAN", Family.BOOLEAN)
DOUBLE = Kind("DOUBLE", Family.FLOAT)
INTERVAL = Kind("INTERVAL", Family.INTERVAL)
WIDE = Kind("HUGEINT", Family.WIDE)

_KINDS = {
    kind.sql: kind
    for kind in (
        BIGINT,
        BOOLEAN,
        DOUBLE,
        INTERVAL,
        WIDE,
        Kind("FLOAT", Family.FLOAT),
        _integer("TINYINT", 8),
        _integer("SMALLINT", 16),
        _integer("INTEGER", 32),
        _integer("UTINYINT", 8, signed=False),
        _integer("USMALLINT", 16, signed=False),
        _integer("UINTEGER", 32, signed=False),
        Kind("DATE", Family.INSTANT),
        Kind("TIME", Family.INSTANT),
        Kind("TIMESTAMP", Family.INSTANT),
        Kind("TIMESTAMP WITH TIME ZONE", Family.INSTANT),
        Kind("VARCHAR", Family.STRING),
    )
}


def kind_of(type_: str) -> Kind:
    """The kind of a type of DuckDB's."""
    kind = _KINDS.get(type_)
    if kind is None:
        raise CannotCompile(f"the type {type_}")
    return kind


Place: TypeAlias = tuple[Kind, int]
"""A column's kind, and its place among those of its array."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the columns of a table lie."""

    schema: Schema
    places: tuple[Place, ...]
    integers: int
    floats: int

    @classmethod
    def of(cls, schema: Schema) -> Layout:
        used = {True: 0, False: 0}
        places = []
        for field in schema:
            kind = kind_of(field.type)
            if not kind.is_stored:
                raise CannotCompile(f"the type {field.type}")
            is_float = kind.family is Family.FLOAT
            places.append((kind, used[is_float]))
            used[is_float] += 1
        return cls(schema, tuple(places), used[False], used[True])

    @property
    def strings(self) -> list[int]:
        """The places of strings among the integers."""
        return [place for kind, place in self.places if kind.family is Family.STRING]
