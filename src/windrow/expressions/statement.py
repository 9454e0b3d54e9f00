"""One SELECT over one Arrow table, and the same question asked so that no row can make it fail."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlglot import exp

from windrow.expressions.engine import INPUT, ask
from windrow.schema import Field, Schema


def as_sql(expression: exp.Expr) -> str:
    """An expression as text for DuckDB, all names quoted."""
    return expression.sql(dialect="duckdb", identify=True)


class Statement:
    """Values computed from each row for which a predicate is true, and the numbers of those rows."""

    def __init__(
        self, input_: Schema, predicate: exp.Expr | None, values: Sequence[tuple[exp.Expr, Field]]
    ) -> None:
        self._values = [f"CAST({as_sql(each)} AS {field.type})" for each, field in values]
        self._predicate = None if predicate is None else as_sql(predicate)
        self.row = _unused("__row", input_)
        """The name of the column of row numbers."""
        used = [each for each, _ in values] + ([] if predicate is None else [predicate])
        named = {column.name.lower() for each in used for column in each.find_all(exp.Column)}
        self._read = [place for place, name in enumerate(input_.names) if name.lower() in named]

    def __str__(self) -> str:
        return ", ".join(self._values + ([] if self._predicate is None else [self._predicate]))

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to compute at all."""
        return bool(self._values) or self._predicate is not None

    def run(self, table: pa.Table) -> pa.Table:
        """The values, in columns named by their place, and the row numbers. DataFault if a row fails."""
        values = [f'{value} AS "{place}"' for place, value in enumerate(self._values)]
        where = "" if self._predicate is None else f" WHERE {self._predicate}"
        return ask(
            f"SELECT {', '.join([*values, self._quoted_row])} FROM {INPUT}{where}", self._numbered(table)
        )

    def fails(self, table: pa.Table) -> npt.NDArray[np.bool_]:
        """For each row whether it makes `run` fail. RunnerError if DuckDB cannot try the expressions.

        TRY makes a failure NULL, which a hash of values never is.
        """
        tried = f"hash({', '.join(self._values)})" if self._values else "0::UBIGINT"
        if self._predicate is not None:
            tried = f"CASE WHEN {self._predicate} THEN {tried} ELSE 0::UBIGINT END"
        answer = ask(f"SELECT TRY({tried}) IS NULL AS fails FROM {INPUT}", self._numbered(table))
        fails: npt.NDArray[np.bool_] = answer["fails"].to_numpy()
        return fails

    @property
    def _quoted_row(self) -> str:
        return exp.to_identifier(self.row, quoted=True).sql(dialect="duckdb")

    def _numbered(self, table: pa.Table) -> pa.Table:
        """What DuckDB reads: the columns that are used, and row numbers, so that rows never vanish."""
        return table.select(self._read).append_column(self.row, pa.array(np.arange(len(table))))


def _unused(name: str, schema: Schema) -> str:
    while schema.find(name):
        name += "_"
    return name
