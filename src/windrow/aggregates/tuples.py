"""The tuples that a batch is about, as kernels see them: numbers by row, and which of them count."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Column: TypeAlias = "pa.Array[Any]"


class Tuples:
    """A table of ingredients, a row a tuple. What kernels ask for is found once."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._columns: dict[str, Column] = {}

    def __len__(self) -> int:
        return len(self._table)

    def column(self, name: str) -> Column:
        if name not in self._columns:
            self._columns[name] = one_array(self._table[name])
        return self._columns[name]

    def integers(self, name: str) -> Ints:
        """64 bits of each row: a number, or the bits of a floating one. Anything where it is NULL."""
        return bits(self.column(name), 1).reshape(-1)

    def wide_integers(self, name: str) -> Ints:
        """128 bits of each row, the lower half first."""
        return bits(self.column(name), 2)

    def counted(self, name: str) -> Mask | None:
        """The rows that are not NULL; None: all of them."""
        column = self.column(name)
        return np.asarray(pc.is_valid(column)) if column.null_count else None


def one_array(column: pa.ChunkedArray[Any]) -> Column:
    """A column in one piece."""
    joined: Any = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    array: Column = joined
    return array


def bits(column: Column, words: int) -> Ints:
    """The values of a column of fixed width, as so many words of 64 bits a row."""
    buffer = column.buffers()[1]
    if buffer is None or not len(column):
        return np.zeros((len(column), words), np.int64)
    data: Any = buffer
    values: Ints = np.frombuffer(data, np.int64, len(column) * words, column.offset * words * 8)
    return values.reshape(-1, words)


def from_bits(values: Ints, type_: pa.DataType, valid: Mask | None) -> Column:
    """A column of fixed width from words of 64 bits."""
    absent = None if valid is None or valid.all() else pa.array(valid).buffers()[1]
    data: Any = np.ascontiguousarray(values)
    return pa.Array.from_buffers(type_, len(values), [absent, pa.py_buffer(data)])
