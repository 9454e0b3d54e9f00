"""A query that is asked again, by DuckDB, at each instant at which something that it reads changes.

What counts is kept, and the answers of a batch's instants are compared, each with the one before it. So an
instant costs what DuckDB needs for all that counts. Windows with SLIDE change at its multiples alone.

At an instant at which the query cannot be computed it has no answer, and that is told as a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pyarrow as pa

from windrow.buffers.keyed import KeyedRows
from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import Numbers
from windrow.delta import BEGINNING, Delta, Instants, concat
from windrow.expressions.engine import INPUT, DataFault, fetch, tell
from windrow.operators.base import FAILURES, Operator
from windrow.operators.differences import differences
from windrow.operators.ending import Ending
from windrow.operators.netting import netted
from windrow.operators.stays import stays
from windrow.plan.emitting import Reevaluate
from windrow.plan.nodes import Node, origins

_TOGETHER = 64
"""The answers of so many instants are in memory at once."""
_ANSWER = "answer"


class ReevaluateOperator(Operator):
    """Runs a Reevaluate node."""

    def __init__(self, node: Reevaluate) -> None:
        self._schema = node.schema
        self._stream = next(iter(origins(node)), "")
        self._query = node.query.sql(dialect="duckdb")
        self._sources = [
            _Source(place, each, scanned=node.scanned) for place, each in enumerate(node.sources)
        ]
        self._answer: pa.Table | None = None
        """The last; None before the query was asked for the first time."""
        self._failed: list[str] = []

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        clock = inputs[0].clock
        told = [source.changes(delta) for source, delta in zip(self._sources, inputs, strict=True)]
        instants = np.unique(np.concatenate([each.ts for each in told]))
        if self._answer is None:
            instants = np.union1d(instants, [BEGINNING])
        given = [replace(Delta.empty(clock, self._schema.arrow), sign=np.empty(0, np.int8))]
        with self._windows(told, instants):
            for begin in range(0, len(instants), _TOGETHER):
                some = range(begin, min(begin + _TOGETHER, len(instants)))
                given.append(self._changes([self._answer_at(each) for each in some], instants[some], clock))
        for source in self._sources:
            source.forget()
        return concat([each for each in given if len(each)] or given[:1])

    def take_failures(self) -> pa.Table | None:
        failed, self._failed = self._failed, []
        told = [[self._stream] * len(failed), [None] * len(failed), failed]
        return pa.table(told, schema=FAILURES) if failed else None

    def save(self) -> State:
        saved = {} if self._answer is None else {_ANSWER: self._answer}
        for source in self._sources:
            saved |= under(source.name, source.save())
        return saved

    def restore(self, state: State) -> None:
        self._answer = state.get(_ANSWER)
        for source in self._sources:
            source.restore(within(source.name, state))

    @contextmanager
    def _windows(self, told: Sequence[Delta], instants: Instants) -> Iterator[None]:
        """In the block, DuckDB has what counts at the instants."""
        if not len(instants):
            yield
            return
        for source, changes in zip(self._sources, told, strict=True):
            tell(
                f"CREATE TEMP TABLE {source.table} AS SELECT * FROM {INPUT}",
                table=source.counting(changes, instants),
            )
        try:
            yield
        finally:
            for source in self._sources:
                tell(f"DROP TABLE {source.table}")

    def _answer_at(self, place: int) -> pa.Table:
        live = ", ".join(source.live(place) for source in self._sources)
        try:
            answer = fetch(f"WITH {live} SELECT * FROM ({self._query})")
        except DataFault as fault:
            self._failed.append(str(fault))
            return self._schema.arrow.empty_table()
        return answer.rename_columns(list(self._schema.names)).cast(self._schema.arrow)

    def _changes(self, answers: list[pa.Table], instants: Instants, clock: int) -> Delta:
        before = self._schema.arrow.empty_table() if self._answer is None else self._answer
        rows, at, signs = differences([before, *answers], self._schema)
        if len(rows) or self._answer is None:
            self._answer = answers[-1].combine_chunks()
        return Delta(clock, rows, instants[at - 1], None, signs)


class _Source:
    """What the query reads of one input: its tuples, from when they count until they do not."""

    def __init__(self, place: int, node: Node, *, scanned: bool) -> None:
        self.name = f"__{place}"
        self.table = f"__live{place}"
        self._schema = node.schema
        self._ending = Ending(node, scanned=scanned)
        self._rows = KeyedRows(node.schema)
        self._gone: Numbers = np.empty(0, np.int64)

    def changes(self, delta: Delta) -> Delta:
        """What comes and goes, at each instant the balance."""
        return netted(self._ending.signed(delta), self._schema)

    def counting(self, changes: Delta, instants: Instants) -> pa.Table:
        """The tuples that count at some of the instants, in the order in which they came."""
        before = self._rows.live()
        assert changes.sign is not None
        changed = self._rows.change(changes.rows, changes.sign)
        self._gone = changed[changes.sign < 0]
        at = np.searchsorted(instants, changes.ts)
        numbers, enters, leaves = stays(before, changed, changes.sign, at, len(instants))
        rows = self._rows.take(numbers)
        columns = [*rows.columns, pa.array(enters), pa.array(leaves)]
        return pa.table(columns, names=[*rows.column_names, "__enters", "__leaves"])

    def live(self, place: int) -> str:
        """The tuples that count at an instant, as a table of the query."""
        columns = ", ".join('"' + name.replace('"', '""') + '"' for name in self._schema.names)
        there = f"__enters <= {place} AND {place} < __leaves"
        return f'"{self.name}" AS (SELECT {columns} FROM {self.table} WHERE {there})'

    def forget(self) -> None:
        """Let go of what has gone."""
        if len(self._gone):
            self._rows.forget(self._gone)
        self._gone = self._gone[:0]

    def save(self) -> State:
        return {**under("ending", self._ending.save()), **under("rows", self._rows.save())}

    def restore(self, state: State) -> None:
        if ending := within("ending", state):
            self._ending.restore(ending)
        if rows := within("rows", state):
            self._rows.restore(rows)
