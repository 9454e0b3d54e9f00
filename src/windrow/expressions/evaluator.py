"""A filter and a projection over Arrow tables, in one DuckDB statement.

Columns that the output takes over as they are never cross into DuckDB: gathering them by row
number costs less than copying them in and out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlglot import exp

from windrow.expressions.engine import DataFault
from windrow.expressions.failures import Failures, find_failures
from windrow.expressions.statement import Statement
from windrow.schema import Field, Schema

Rows: TypeAlias = npt.NDArray[np.int64]
Column: TypeAlias = "pa.ChunkedArray[Any]"


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What came out, of which rows."""

    table: pa.Table
    kept: Rows | None
    """The input rows that the output rows come from, rising; None: all of them."""
    failures: Failures | None = None
    """The input rows that could not be evaluated; None: there are none."""


class Evaluator:
    """The rows for which a predicate is true, each turned into new columns.

    No predicate keeps all rows; no expressions keep all columns. Every column in an expression
    names, unqualified, one of the input. The output has exactly the Arrow types of its schema.
    """

    def __init__(
        self,
        input_: Schema,
        predicate: exp.Expr | None,
        expressions: Sequence[exp.Expr] | None,
        output: Schema,
    ) -> None:
        if expressions is None:
            expressions = [exp.column(name, quoted=True) for name in input_.names]
        pairs = list(zip(expressions, output, strict=True))
        self._passed = [_passed_on(each, field, input_) for each, field in pairs]
        """For each output column its place in the input, or None where it is computed."""
        computed = [pair for pair, place in zip(pairs, self._passed, strict=True) if place is None]
        self._statement = Statement(input_, predicate, computed)
        self._filters = predicate is not None
        self._input, self._schema = input_.arrow, output.arrow

    def evaluate(self, table: pa.Table) -> Evaluated:
        """All that can be evaluated; rows that cannot are left out, and named."""
        if table.schema.types != self._input.types:
            table = table.cast(self._input)
        try:
            return self._evaluate(table)
        except DataFault:
            failures = find_failures(self._statement, table)
        sound = np.delete(np.arange(len(table)), failures.rows)
        evaluated = self._evaluate(table.take(sound))
        kept = sound if evaluated.kept is None else sound[evaluated.kept]
        return replace(evaluated, kept=kept, failures=failures)

    def _evaluate(self, table: pa.Table) -> Evaluated:
        if not len(table):
            return Evaluated(self._schema.empty_table(), None)
        if not self._statement.is_needed:
            return Evaluated(self._assembled(table, [], None), None)
        answer = self._statement.run(table)
        kept = answer.column(answer.num_columns - 1).to_numpy() if self._filters else None
        if kept is not None and len(kept) == len(table):
            kept = None
        return Evaluated(self._assembled(table, answer.columns, kept), kept)

    def _assembled(self, table: pa.Table, computed: Sequence[Column], kept: Rows | None) -> pa.Table:
        passed = table.select([place for place in self._passed if place is not None])
        if kept is not None:
            passed = passed.combine_chunks().take(kept)
        taken, made = iter(passed.columns), iter(computed)
        columns = [next(made) if place is None else next(taken) for place in self._passed]
        return pa.table(columns, schema=self._schema)


def _passed_on(expression: exp.Expr, field: Field, input_: Schema) -> int | None:
    """The place of the input column that an expression only names, if the types agree."""
    if not isinstance(expression, exp.Column):
        return None
    source = input_.find(expression.name)
    same = source is not None and source.arrow.type == field.arrow.type
    return input_.names.index(source.name) if source is not None and same else None
