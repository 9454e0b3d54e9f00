"""Plays random inputs through an operator, and holds its answer against SQL at every instant.

An input is a *history*: rows, each with the instants at which it begins and ends to count. The oracle
asks DuckDB over the rows that are live at an instant; it never sees a delta. What the operator said is
read by the contract of the edges (`operators/base.py`), whose clauses are checked on the way.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from windrow.delta import BEGINNING, NEVER, Delta, concat
from windrow.operators.base import Operator
from windrow.operators.registry import operator_for
from windrow.plan.exchange import Received
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

Row = tuple[object, ...]
Answer = Counter[Row]


@dataclass(frozen=True)
class Lifetime:
    """A row that counts from `begin` up to but without `end`."""

    row: Row
    begin: int
    end: int = NEVER
    last: bool = False
    """Where negative tuples tell of ends: this one comes after what begins at the same instant."""


@dataclass(frozen=True)
class History:
    """An input of an operator, from its first tuple to its last; lifetimes in order of their begin."""

    pattern: Pattern
    schema: Schema
    lifetimes: tuple[Lifetime, ...]

    def delta(self) -> Delta:
        """All that the edge says, in time order."""
        if self.pattern is Pattern.STR:
            return self._signed()
        begins = np.array([each.begin for each in self.lifetimes], np.int64)
        ends = np.array([each.end for each in self.lifetimes], np.int64)
        rows = self.table([each.row for each in self.lifetimes])
        return Delta(0, rows, begins, None if self.pattern is Pattern.MON else ends)

    def table(self, rows: Sequence[Row]) -> pa.Table:
        columns = [[row[place] for row in rows] for place in range(len(self.schema))]
        typed = zip(columns, self.schema.arrow.types, strict=True)
        return pa.table([pa.array(*each) for each in typed], schema=self.schema.arrow)

    def instants(self) -> set[int]:
        return {each.begin for each in self.lifetimes} | {each.end for each in self.lifetimes}

    def _signed(self) -> Delta:
        told = [(each.begin, 1, 1, each.row) for each in self.lifetimes]
        told += [
            (each.end, 2 if each.last or each.begin == each.end else 0, -1, each.row)
            for each in self.lifetimes
            if each.end != NEVER
        ]
        told.sort(key=lambda event: event[:2])
        ts = np.array([event[0] for event in told], np.int64)
        signs = np.array([event[2] for event in told], np.int8)
        return Delta(0, self.table([event[3] for event in told]), ts, sign=signs)


@dataclass(frozen=True, order=True)
class Call:
    """Where a stream is cut: all before `clock` is in, and so many of the tuples that are of `clock`."""

    clock: int
    ties: int
    restart: bool = False
    """Save the state after the call, and go on with a new operator that restores it."""


def received(name: str, schema: Schema, pattern: Pattern) -> Received:
    """An input edge of a pattern."""
    return Received(name, schema, pattern, None, (name,))


GAPS = st.sampled_from([0, 0, 0, 1, 1, 2, 3, 7, 40])
_LIVES = {
    Pattern.MON: st.just(NEVER),
    Pattern.WK: st.sampled_from([1, 1, 2, 3, 5, 9, 45, 2000, NEVER]),
    Pattern.STR: st.sampled_from([0, 1, 1, 2, 3, 5, 9, 45, NEVER]),
}


@st.composite
def histories(
    draw: st.DrawFn,
    schema: Schema,
    rows: st.SearchStrategy[Row],
    patterns: Sequence[Pattern] = tuple(Pattern),
    size: int = 9,
) -> History:
    """Bursts and silences, ties, and lifetimes as a pattern allows; some of no tuples at all."""
    pattern = draw(st.sampled_from(patterns))
    equal = st.just(draw(st.sampled_from([1, 2, 5, 30, 2000])))
    lives = _LIVES.get(pattern, equal)
    begin, lifetimes = draw(st.integers(-3, 3)), []
    for row, gap, life, last in draw(st.lists(st.tuples(rows, GAPS, lives, st.booleans()), max_size=size)):
        begin += gap
        lifetimes.append(Lifetime(row, begin, NEVER if life == NEVER else begin + life, last))
    return History(pattern, schema, tuple(lifetimes))


CALLS = st.lists(st.builds(Call, st.integers(-3, 60), st.integers(0, 3), st.booleans()), max_size=5).map(
    sorted
)
"""Where to cut, in time order; a last call brings the rest."""


def check(
    node: Node,
    inputs: Sequence[History],
    sql: str,
    calls: Sequence[Call] = (),
    *,
    names: Sequence[str] = ("l", "r"),
    start: Callable[[], Operator] | None = None,
    pattern: Pattern | None = None,
) -> None:
    """Fail unless what a node's operator gives is, at every instant, what SQL says of the live rows.

    In `sql` the live rows of the inputs are tables by `names`. `start` makes the operator where it is
    not the node's own, and `pattern` is that of its output where it is not the node's.
    """
    said = play(start or (lambda: operator_for(node)), inputs, calls, pattern or node.pattern)
    instants = {moment for history in inputs for moment in history.instants()} | set(said.ts.tolist())
    oracle = _oracle()
    for name, history in zip(names, inputs, strict=False):
        _tell(oracle, name, history)
    for instant in sorted(instants - {NEVER}):
        wanted, got = _answer_of(oracle, sql, instant), answer_at(said, instant)
        assert got == wanted, f"at {instant} more {dict(got - wanted)}, less {dict(wanted - got)}"


def play(
    start: Callable[[], Operator],
    inputs: Sequence[History],
    calls: Sequence[Call] = (),
    pattern: Pattern | None = None,
) -> Delta:
    """All that an operator says of some histories that come to it in calls; `pattern` is its output's."""
    operator, before, said = start(), BEGINNING, []
    for call, deltas in _cut(inputs, calls):
        given = operator.on_deltas(deltas)
        _check_contract(given, call.clock, before)
        if pattern is not None and len(given):
            assert (given.sign is not None) == (pattern is Pattern.STR)
            assert (given.exp is not None) == (pattern in (Pattern.WKS, Pattern.WK))
        said.append(given)
        before = call.clock
        if call.restart:
            state, operator = operator.save(), start()
            if state:
                operator.restore(state)
    return concat(said)


def answer_at(said: Delta, instant: int) -> Answer:
    """The rows that count at an instant, by the contract of the edges."""
    live = said.ts <= instant
    if said.exp is not None:
        live &= said.exp > instant
    rows = said.rows.filter(pa.array(live)).to_pylist()
    signs = np.ones(len(rows), np.int8) if said.sign is None else said.sign[live]
    answer: Answer = Counter()
    for row, sign in zip(rows, signs.tolist(), strict=True):
        answer[_comparable(row.values())] += sign
    assert not -answer, f"at {instant} more was taken back than had been given: {-answer}"
    return +answer


_local = threading.local()


def _oracle() -> duckdb.DuckDBPyConnection:
    """One for each thread, as opening one takes longer than most questions."""
    if not hasattr(_local, "oracle"):
        _local.oracle = duckdb.connect(config={"threads": 1})
    oracle: duckdb.DuckDBPyConnection = _local.oracle
    return oracle


def _tell(oracle: duckdb.DuckDBPyConnection, name: str, history: History) -> None:
    begins = [each.begin for each in history.lifetimes]
    ends = [each.end for each in history.lifetimes]
    table = history.table([each.row for each in history.lifetimes])
    table = table.append_column("__begin", pa.array(begins, pa.int64()))
    table = table.append_column("__end", pa.array(ends, pa.int64()))
    columns = ", ".join(history.schema.names)
    oracle.register("told", table)
    oracle.execute(f"CREATE OR REPLACE TABLE {name}_all AS FROM told")
    oracle.execute(
        f"CREATE OR REPLACE VIEW {name} AS SELECT {columns} FROM {name}_all"
        " WHERE __begin <= getvariable('now') AND getvariable('now') < __end"
    )


def _answer_of(oracle: duckdb.DuckDBPyConnection, sql: str, instant: int) -> Answer:
    oracle.execute(f"SET VARIABLE now = {instant}")
    return Counter(map(_comparable, oracle.execute(sql).fetchall()))


def _cut(inputs: Sequence[History], calls: Sequence[Call]) -> Iterator[tuple[Call, list[Delta]]]:
    """The deltas of each call; one more call, some time after all instants, brings the rest."""
    wholes = [history.delta() for history in inputs]
    ends = {moment for history in inputs for moment in history.instants()} - {NEVER}
    done = [0] * len(wholes)
    last = Call(max([0, *ends, *(call.clock for call in calls)]) + 3, 0)
    for call in (*calls, last):
        reached = [_reached(whole.ts, call) for whole in wholes]
        spans = zip(wholes, done, reached, strict=True)
        yield call, [_span(whole, start, end, call.clock) for whole, start, end in spans]
        done = reached


def _span(whole: Delta, start: int, end: int, clock: int) -> Delta:
    """Empty deltas have no `exp` or `sign`, as many that come from elsewhere have none."""
    if start == end:
        return Delta.empty(clock, whole.rows.schema)
    return whole.take(np.arange(start, end)).at(clock)


def _reached(ts: np.typing.NDArray[np.int64], call: Call) -> int:
    """The number of tuples that are in after a call."""
    before, upto = np.searchsorted(ts, call.clock, "left"), np.searchsorted(ts, call.clock, "right")
    return int(min(before + call.ties, upto))


def _check_contract(given: Delta, clock: int, before: int) -> None:
    assert given.clock == clock
    assert len(given.rows) == len(given.ts)
    for control in (given.ts, given.exp, given.sign):
        assert control is None or control.flags.c_contiguous, "kernels take no other arrays"
    assert (given.ts[1:] >= given.ts[:-1]).all(), "tuples come in time order"
    assert ((given.ts >= before) & (given.ts <= clock)).all(), "no tuple is of a time that is over"
    assert given.exp is None or (given.exp > given.ts).all(), "each tuple counts for a while"


def _comparable(values: object) -> Row:
    """NaN equals NaN; lists and the like go by how they look."""
    assert hasattr(values, "__iter__")
    plain = (repr(value) if isinstance(value, list | dict) else value for value in values)
    return tuple("NaN" if value != value else value for value in plain)
