"""Which rows of a table an expression fails on, and why.

DuckDB says only that some row failed. Its TRY finds out which, in one pass; where it cannot be
used (on functions that may answer differently each time) the table is halved until they stand alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.errors import RunnerError
from windrow.expressions.engine import DataFault
from windrow.expressions.statement import Statement

_EXPLAINED = 100
"""So many failing rows of a table are asked for their own reason; each costs a statement."""


@dataclass(frozen=True, slots=True)
class Failures:
    """Rows that could not be evaluated."""

    rows: npt.NDArray[np.int64]
    """Their places in the input, rising."""
    reasons: tuple[str, ...]


def find_failures(statement: Statement, table: pa.Table) -> Failures:
    """The rows of a table that make a statement fail."""
    try:
        rows = np.flatnonzero(statement.fails(table)).astype(np.int64)
    except (RunnerError, DataFault):
        rows = np.array(_by_halving(statement, table, 0), np.int64)
    own = [_reason(statement, table.slice(int(row), 1)) for row in rows[:_EXPLAINED]]
    rest = [f"cannot be computed: {statement}"] * (len(rows) - len(own))
    return Failures(rows, (*own, *rest))


def _by_halving(statement: Statement, table: pa.Table, offset: int) -> list[int]:
    if _reason(statement, table) == "":
        return []
    if len(table) == 1:
        return [offset]
    middle = len(table) // 2
    left, right = table.slice(0, middle), table.slice(middle)
    return _by_halving(statement, left, offset) + _by_halving(statement, right, offset + middle)


def _reason(statement: Statement, table: pa.Table) -> str:
    try:
        statement.run(table)
    except DataFault as fault:
        return str(fault)
    return ""
