"""What a tuple costs that looks a row up: in an NRR, in a table, and in a window of as many tuples.

The NRR keeps no tuples, so it has less to do than the other two. Large relations are slower than small
ones because their rows do not fit into the caches; nothing is searched.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from bench.harness import Bound, Measurement, Scale, benchmark, measure
from windrow.delta import Delta
from windrow.operators.base import Operator
from windrow.operators.registry import operator_for
from windrow.plan.exchange import Received
from windrow.plan.joins import Join, RelationJoin
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

TUPLES = Schema.of(("k", "BIGINT"), ("v", "BIGINT"))
ROWS = Schema.of(("id", "BIGINT"), ("name", "VARCHAR"))
KEYS = (("k", "id"),)
NRR, TABLE, WINDOW = "NRR", "table", "window"
BATCH, LIFE = 50_000, 1_000_000


@benchmark("relations")
def relations(scale: Scale) -> Iterator[Measurement]:
    """Each tuple finds one row; there are few of them, or many."""
    batches = scale.size(20, 2)
    for rows in (1_000, 100_000, scale.size(1_000_000, 10_000)):
        yield measure(
            f"look up one of {rows:,} rows",
            {name: partial(_seconds, name, rows, batches) for name in (NRR, TABLE, WINDOW)},
            work=BATCH * batches,
            rounds=scale.rounds,
            bounds=[Bound(NRR, WINDOW, at_least=1.0), Bound(TABLE, WINDOW)],
            remark=f"batches of {BATCH:,} tuples, one thread",
        )


def _seconds(name: str, rows: int, batches: int) -> float:
    """For all batches, with the rows there beforehand."""
    operator = _filled(name, rows)
    deltas = list(_batches(rows, batches))
    begin = time.perf_counter()
    for delta in deltas:
        given = operator.on_deltas([delta, Delta.empty(delta.clock, ROWS.arrow)])
        if len(given) != BATCH:
            raise AssertionError(f"{len(given)} results of {BATCH} tuples")
    return time.perf_counter() - begin


def _filled(name: str, rows: int) -> Operator:
    table = pa.table([np.arange(rows), [f"row {number}" for number in range(rows)]], schema=ROWS.arrow)
    begin = np.zeros(rows, np.int64)
    if name == WINDOW:
        there = Delta(1, table, begin, exp=np.full(rows, 2**62))
    else:
        there = Delta(1, table, begin, sign=np.ones(rows, np.int8))
    operator = operator_for(_node(name))
    operator.on_deltas([Delta.empty(1, TUPLES.arrow), there])
    return operator


def _node(name: str) -> Node:
    left = Received("tuples", TUPLES, Pattern.WKS, LIFE, ("S",))
    if name == WINDOW:
        return Join(left, Received("rows", ROWS, Pattern.WKS, None, ("R",)), KEYS, None)
    right = Received("rows", ROWS, Pattern.STR, None, ("R",))
    return RelationJoin(left, right, KEYS, None, retroactive=name == TABLE)


def _batches(rows: int, count: int) -> Iterator[Delta]:
    chance = np.random.default_rng(1)
    for number in range(count):
        columns: Sequence[np.typing.NDArray[np.int64]] = chance.integers(0, rows, BATCH), np.arange(BATCH)
        ts = np.arange(BATCH) + (2 + number * BATCH)
        clock = int(ts[-1])
        yield Delta(clock, pa.table(list(columns), schema=TUPLES.arrow), ts, exp=ts + LIFE)
