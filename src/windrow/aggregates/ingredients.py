"""What is kept of each tuple for the aggregates: columns, ready for kernels.

An ingredient is computed once, when its tuple comes, and kept until the tuple goes. It is NULL where
the tuple does not count for who asks: where the argument is NULL, or FILTER's condition is not true.
Equal ingredients are the same, so aggregates share them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.aggregates.tuples import Column, Ints, bits, from_bits, one_array
from windrow.buffers.parts import State
from windrow.delta import Signs
from windrow.schema import Schema, arrow_type

_NARROW_DIGITS = 18
"""Decimals of so many digits fit into 64 bits."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Tuples that come, and negative tuples where there are such."""

    rows: pa.Table
    groups: Ints
    signs: Signs


class Ingredient(ABC):
    """A column computed from tuples."""

    @property
    @abstractmethod
    def type(self) -> pa.DataType: ...

    @abstractmethod
    def of(self, arrived: Arrived) -> Column:
        """Its value for each tuple; for a negative tuple that of the one that it takes back."""

    def save(self) -> State:
        """What it has to remember in order to give equal values for equal tuples."""
        return {}

    def restore(self, state: State) -> None:
        """Remember what was saved."""
        raise ValueError(f"{type(self).__name__} remembers nothing")


@dataclass(frozen=True)
class OfColumn(Ingredient):
    """What is made of one column, where another one is true."""

    column: str
    where: str | None = None

    def of(self, arrived: Arrived) -> Column:
        made = self._made(one_array(arrived.rows[self.column]))
        return made if self.where is None else where_true(one_array(arrived.rows[self.where]), made)

    @abstractmethod
    def _made(self, column: Column) -> Column: ...


@dataclass(frozen=True)
class Presence(OfColumn):
    """Whether it is there at all."""

    @property
    def type(self) -> pa.DataType:
        return pa.int8()

    def _made(self, column: Column) -> Column:
        ones = pa.array(np.ones(len(column), np.int8))
        return where_true(pc.is_valid(column), ones) if column.null_count else ones


@dataclass(frozen=True)
class Condition(Ingredient):
    """Whether a condition is true."""

    where: str

    @property
    def type(self) -> pa.DataType:
        return pa.int8()

    def of(self, arrived: Arrived) -> Column:
        return where_true(
            one_array(arrived.rows[self.where]), pa.array(np.ones(len(arrived.rows), np.int8))
        )


@dataclass(frozen=True)
class Integers(OfColumn):
    """Whole numbers of 64 bits; decimals without their point."""

    @property
    def type(self) -> pa.DataType:
        return pa.int64()

    def _made(self, column: Column) -> Column:
        if not pa.types.is_decimal(column.type):
            return column.cast(pa.int64())
        return from_bits(bits(column, 2)[:, 0], pa.int64(), _valid(column))


@dataclass(frozen=True)
class WideIntegers(OfColumn):
    """Whole numbers of 128 bits; decimals without their point."""

    @property
    def type(self) -> pa.DataType:
        return pa.decimal128(38, 0)

    def _made(self, column: Column) -> Column:
        if pa.types.is_decimal(column.type):
            return from_bits(bits(column, 2), self.type, _valid(column))
        low = bits(column, 1)
        return from_bits(np.hstack([low, np.zeros_like(low)]), self.type, _valid(column))


@dataclass(frozen=True)
class Floats(OfColumn):
    """Floating numbers of 64 bits."""

    @property
    def type(self) -> pa.DataType:
        return pa.float64()

    def _made(self, column: Column) -> Column:
        if pa.types.is_decimal(column.type):
            return column.cast(pa.float64())
        return column.cast(pa.float64(), safe=False)


def as_number(column: str, where: str | None, input_: Schema) -> Integers | WideIntegers | Floats | None:
    """A column of numbers, without loss; None where it has none."""
    field = input_.find(column)
    assert field is not None
    type_ = arrow_type(field.type)
    if field.type == "UHUGEINT":
        return None
    if pa.types.is_boolean(type_) or (pa.types.is_integer(type_) and not pa.types.is_uint64(type_)):
        return Integers(column, where)
    if pa.types.is_decimal(type_):
        narrow = type_.precision <= _NARROW_DIGITS
        return Integers(column, where) if narrow else WideIntegers(column, where)
    if pa.types.is_uint64(type_):
        return WideIntegers(column, where)
    return Floats(column, where) if pa.types.is_floating(type_) else None


def where_true(chosen: Column, column: Column) -> Column:
    """NULL wherever a condition is not true."""
    conditions: Any = chosen
    kept: Any = pc.fill_null(conditions, False)
    values: Any = column
    nothing: Any = pa.scalar(None, column.type)
    found: Column = pc.if_else(kept, values, nothing)
    return found


def _valid(column: Column) -> Any:
    return np.asarray(pc.is_valid(column)) if column.null_count else None
