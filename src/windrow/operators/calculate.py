"""Selection and projection of tuples one by one. Keeps no state; lifetimes and signs pass through."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from windrow.delta import Delta
from windrow.expressions.evaluator import Evaluator
from windrow.expressions.failures import Failures
from windrow.expressions.json_rows import json_rows
from windrow.operators.base import FAILURES, Operator
from windrow.plan.nodes import Calculate, origins


class CalculateOperator(Operator):
    """Runs a Calculate node."""

    def __init__(self, node: Calculate) -> None:
        self._evaluator = Evaluator(node.input.schema, node.predicate, node.expressions, node.output)
        self._stream = origins(node)[0]
        self._failed: list[pa.Table] = []

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        evaluated = self._evaluator.evaluate(delta.rows)
        if evaluated.failures is not None:
            self._failed.append(self._explained(delta.rows, evaluated.failures))
        kept = slice(None) if evaluated.kept is None else evaluated.kept
        return Delta(
            delta.clock,
            evaluated.table,
            delta.ts[kept],
            None if delta.exp is None else delta.exp[kept],
            None if delta.sign is None else delta.sign[kept],
        )

    def take_failures(self) -> pa.Table | None:
        failed, self._failed = self._failed, []
        return pa.concat_tables(failed) if failed else None

    def _explained(self, rows: pa.Table, failures: Failures) -> pa.Table:
        texts = json_rows(rows.take(failures.rows))
        return pa.table([[self._stream] * len(texts), texts, list(failures.reasons)], schema=FAILURES)
