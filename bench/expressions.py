"""What scalar expressions cost in DuckDB, where windrow evaluates them, against pyarrow's kernels.

DuckDB is there for the meaning (NULLs, casts, every function of the language); pyarrow, written
out by hand, is the yardstick for speed. Small batches show the fixed cost of a call.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import sqlglot

from bench.harness import Bound, Measurement, Scale, benchmark, measure
from windrow.expressions.evaluator import Evaluator
from windrow.schema import Schema

BIDS = Schema.of(("itemID", "INTEGER"), ("bidderID", "INTEGER"), ("price", "DOUBLE"), ("ts", "TIMESTAMP"))
RAISED = Schema.of(
    ("itemID", "INTEGER"), ("bidderID", "INTEGER"), ("raised", "DOUBLE"), ("ts", "TIMESTAMP")
)
PREDICATE = "price > 50 AND bidderID <> 7"
PROJECTION = ("itemID", "bidderID", "price * 1.1 + 1", "ts")


@benchmark("expressions")
def expressions(scale: Scale) -> Iterator[Measurement]:
    """A predicate that keeps half of the tuples, and one computed column of four."""
    for rows, calls in ((scale.size(2_000_000, 100_000), 1), (1_000, scale.size(200, 20))):
        table = _bids(rows)
        yield measure(
            f"filter and project, batches of {rows:,} tuples",
            {"DuckDB": partial(_duckdb, table, calls), "pyarrow": partial(_pyarrow, table, calls)},
            work=rows * calls,
            rounds=scale.rounds,
            bounds=[Bound("DuckDB", "pyarrow")],
            remark=f"WHERE {PREDICATE}, {calls} call(s) a round, one thread",
        )


def _bids(rows: int) -> pa.Table:
    random = np.random.default_rng(1)
    columns = [
        random.integers(0, 10_000, rows, np.int32),
        random.integers(0, 1_000, rows, np.int32),
        random.uniform(0, 100, rows),
        np.arange(rows, dtype=np.int64).view("datetime64[us]"),
    ]
    return pa.table([pa.array(column) for column in columns], schema=BIDS.arrow)


def _duckdb(table: pa.Table, calls: int) -> None:
    evaluator = Evaluator(BIDS, _parsed(PREDICATE), [_parsed(text) for text in PROJECTION], RAISED)
    for _ in range(calls):
        evaluator.evaluate(table)


def _parsed(text: str) -> sqlglot.exp.Expr:
    return sqlglot.parse_one(text, dialect="duckdb")


def _pyarrow(table: pa.Table, calls: int) -> None:
    for _ in range(calls):
        high = pc.greater(table["price"], pa.scalar(50.0))
        kept = table.filter(pc.and_(high, pc.not_equal(table["bidderID"], pa.scalar(7))))
        raised = pc.add(pc.multiply(kept["price"], pa.scalar(1.1)), pa.scalar(1.0))
        kept.set_column(2, "raised", raised)
