"""What a join asks of a pair beyond equal keys: a condition, evaluated over candidate pairs at once.

A pair for which it cannot be evaluated does not match, and is told with the reason.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlglot import exp

from windrow.expressions.evaluator import Evaluator
from windrow.expressions.json_rows import json_rows
from windrow.operators.base import FAILURES
from windrow.plan.joins import Matching
from windrow.plan.nodes import origins
from windrow.schema import Schema


class Residual:
    """A condition over the columns of two inputs."""

    def __init__(self, condition: exp.Expr, left: Schema, right: Schema, stream: str) -> None:
        """`stream` is named where a pair fails."""
        used = {column.name.lower() for column in condition.find_all(exp.Column)}
        used = used or set(left.names[:1])  # a table without columns could not say how many rows it has
        self.left = left.keep(used).names
        """The columns of the left input that are needed; names of the right one's come beside them."""
        self.right = right.keep(used).names
        input_ = Schema((*left.keep(used), *right.keep(used)))
        self._evaluator = Evaluator(input_, condition, [], Schema(()))
        self._stream = stream
        self._failed: list[pa.Table] = []

    def kept(self, left: pa.Table, right: pa.Table) -> npt.NDArray[np.int64]:
        """The places of the pairs for which the condition is true, rising."""
        pairs = pa.table([*left.columns, *right.columns], names=[*self.left, *self.right])
        evaluated = self._evaluator.evaluate(pairs)
        if evaluated.failures is not None:
            texts = json_rows(pairs.take(evaluated.failures.rows))
            told = [[self._stream] * len(texts), texts, list(evaluated.failures.reasons)]
            self._failed.append(pa.table(told, schema=FAILURES))
        return np.arange(len(pairs)) if evaluated.kept is None else evaluated.kept

    def take_failures(self) -> pa.Table | None:
        failed, self._failed = self._failed, []
        return pa.concat_tables(failed) if failed else None


def residual_of(node: Matching) -> Residual | None:
    """What a node asks beyond its keys."""
    if node.condition is None:
        return None
    return Residual(node.condition, node.left.schema, node.right.schema, origins(node)[0])
