"""The oracle is DuckDB's SELECT over the rows; lifetimes and signs go with their rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import given, settings

from tests.plan.samples import STREAMS, delta, scan, sql
from windrow.delta import Delta
from windrow.expressions.engine import INPUT, ask
from windrow.operators.calculate import CalculateOperator
from windrow.plan.nodes import Calculate
from windrow.schema import Schema


def calculate(predicate: str, expression: str) -> CalculateOperator:
    output = Schema.of(("x", "BIGINT"))
    return CalculateOperator(Calculate(scan("X"), sql(predicate), (sql(expression),), output))


@settings(deadline=None)
@given(STREAMS)
def test_controls_stay_beside_their_rows(rows: Delta) -> None:
    places = np.arange(len(rows))
    marked = replace(rows, exp=places + 1000, sign=np.where(places % 2, 1, -1).astype(np.int8))
    made = calculate("a > 0 OR b IS NULL", "a + b").on_deltas([marked])
    assert made.exp is not None
    assert made.sign is not None
    kept = made.exp - 1000
    numbered = rows.rows.append_column("place", pa.array(places))
    where = "a > 0 OR b IS NULL"
    wanted = ask(f"SELECT a + b AS x, place FROM {INPUT} WHERE {where} ORDER BY place", numbered)
    assert made.rows.column("x").to_pylist() == wanted["x"].to_pylist()
    assert kept.tolist() == wanted["place"].to_pylist()
    assert made.ts.tolist() == rows.ts[kept].tolist()
    assert made.sign.tolist() == np.where(kept % 2, 1, -1).tolist()


def test_a_failing_row_takes_its_controls_with_it() -> None:
    rows = replace(delta([(1, 1, "u", 1), (2, 2, "7", 2)]), sign=np.array([1, -1], np.int8))
    operator = calculate("true", "CAST(s AS BIGINT)")
    made = operator.on_deltas([rows])
    assert made.sign is not None
    assert (made.rows.to_pydict(), made.ts.tolist(), made.sign.tolist()) == ({"x": [7]}, [2], [-1])
    failures = operator.take_failures()
    assert failures is not None
    assert failures.num_rows == 1
    assert operator.take_failures() is None
