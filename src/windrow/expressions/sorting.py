"""Rows in an order, those that it leaves in a tie as they were."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from sqlglot import exp

from windrow.expressions.engine import INPUT, ask
from windrow.expressions.statement import as_sql


def in_order(table: pa.Table, order: Sequence[exp.Ordered]) -> pa.Table:
    """The rows sorted by expressions over the columns."""
    if not order or len(table) < 2:
        return table
    numbered = table.append_column("__place", pa.array(np.arange(len(table))))
    terms = ", ".join(f"{as_sql(each.this)} {direction(each)}" for each in order)
    answer = ask(f"SELECT __place FROM {INPUT} ORDER BY {terms}, __place", numbered)
    return table.take(answer["__place"].combine_chunks())


def direction(ordered: exp.Ordered) -> str:
    """The direction of a term of ORDER BY, and where NULLs are."""
    way = "DESC" if ordered.args.get("desc") else "ASC"
    return f"{way} NULLS {'FIRST' if ordered.args.get('nulls_first') else 'LAST'}"
