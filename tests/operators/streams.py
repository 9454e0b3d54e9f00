"""Streams for operator tests, ways to run them through an operator, and what the output then says.

The oracle of a test is a plain computation over all tuples at an instant; `contents` reads the same off
an operator's output, whatever its pattern.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from windrow.catalog import Stream
from windrow.delta import BEGINNING, NEVER, Delta, concat
from windrow.operators.base import Operator
from windrow.plan.exchange import Received
from windrow.plan.nodes import Scan
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

COLUMNS = Schema.of(("k", "BIGINT"), ("v", "VARCHAR"))
Row: TypeAlias = tuple[Any, ...]
Tuples: TypeAlias = list[tuple[Row, int]]
"""Rows and their timestamps, in time order."""

KEYS = st.sampled_from([None, 0, 1, 2])
VALUES = st.sampled_from([None, "", "a"])
ROWS = st.tuples(KEYS, VALUES)
TUPLES = st.lists(st.tuples(ROWS, st.integers(-6, 25)), max_size=30).map(
    lambda tuples: sorted(tuples, key=lambda each: each[1])
)
CLOCK_STEPS = st.lists(st.integers(0, 12), max_size=6)
"""How far the clock moves from call to call."""


def scan() -> Scan:
    return Scan(Stream("S", COLUMNS), COLUMNS.names)


def edge(pattern: Pattern, name: str = "exchange0", schema: Schema = COLUMNS) -> Received:
    """An input of that pattern."""
    return Received(name, schema, pattern, None, ("S",))


def table(rows: Sequence[Row], schema: Schema = COLUMNS) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(column, type_) for column, type_ in zip(columns, schema.arrow.types, strict=True)]
    return pa.table(arrays, schema=schema.arrow)


def stream(tuples: Tuples, clock: int) -> Delta:
    """A stream's tuples, complete up to a clock."""
    return Delta(clock, table([row for row, _ in tuples]), np.array([ts for _, ts in tuples], np.int64))


def living(tuples: Sequence[tuple[Row, int, int]], clock: int) -> Delta:
    """Tuples with timestamps and ends."""
    plain = stream([(row, ts) for row, ts, _ in tuples], clock)
    return Delta(clock, plain.rows, plain.ts, np.array([exp for _, _, exp in tuples], np.int64))


def signed(tuples: Sequence[tuple[Row, int, int]], clock: int) -> Delta:
    """Tuples with timestamps and signs."""
    plain = stream([(row, ts) for row, ts, _ in tuples], clock)
    return Delta(clock, plain.rows, plain.ts, None, np.array([sign for _, _, sign in tuples], np.int8))


def clocks(steps: Iterable[int], start: int = -6) -> list[int]:
    return [int(clock) for clock in np.cumsum([start, *steps])]


def cut(whole: Delta, at: Sequence[int]) -> list[Delta]:
    """A delta in calls, one for each clock; the last brings all that is left."""
    parts = []
    for before, clock in zip([BEGINNING, *at], at, strict=False):
        some = (whole.ts <= clock) & ((whole.ts > before) | (before == BEGINNING))
        parts.append(whole.take(some).at(clock))
    rest = whole.take(whole.ts > (at[-1] if at else BEGINNING)) if at else whole
    return [*parts, rest.at(max(whole.clock, at[-1] if at else BEGINNING))]


def run(
    new: Callable[[], Operator], calls: Sequence[Sequence[Delta]], *, restarts: bool = False
) -> list[Delta]:
    """What an operator gives, call by call; restarted, it is saved and restored between calls."""
    operator, given = new(), []
    before = BEGINNING
    for inputs in calls:
        delta = operator.on_deltas(inputs)
        check(delta, before, inputs[0].clock)
        before = delta.clock
        given.append(delta)
        if restarts:
            saved, operator = operator.save(), new()
            if saved:
                operator.restore(saved)
    return given


def check(delta: Delta, before: int, clock: int) -> None:
    """What `operators/base.py` promises of every output."""
    assert delta.clock == clock
    ts = delta.ts
    assert (ts[1:] >= ts[:-1]).all()
    assert not len(ts) or (ts[0] >= before and ts[-1] <= clock)
    assert delta.exp is None or (delta.exp > ts).all()
    assert delta.exp is None or delta.sign is None
    assert len(delta.rows) == len(ts)


def events(given: Sequence[Delta]) -> list[tuple[Row, int, int, int]]:
    """All tuples given: row, timestamp, end, sign."""
    whole = concat(list(given))
    exp = np.full(len(whole), NEVER) if whole.exp is None else whole.exp
    sign = np.ones(len(whole), np.int8) if whole.sign is None else whole.sign
    rows = [tuple(row.values()) for row in whole.rows.to_pylist()]
    return list(zip(rows, whole.ts.tolist(), exp.tolist(), sign.tolist(), strict=True))


def contents(given: Sequence[Delta], at: int) -> Counter[Row]:
    """The multiset of rows that an output says is there at the end of an instant."""
    there: Counter[Row] = Counter()
    for row, ts, exp, sign in events(given):
        if ts <= at < exp:
            there[row] += sign
    assert all(count >= 0 for count in there.values())
    return +there
