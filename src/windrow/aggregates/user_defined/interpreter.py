"""Runs a definition by handing each action to DuckDB: right for everything, and slow.

Between batches what the groups remember lies in Arrow; for a batch, the rows of its groups are put into
DuckDB's tables, and taken back afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregate_body import INWINDOW, RETURN, Event
from windrow.aggregates.user_defined.group_rows import GROUP, ORDINAL, GroupRows
from windrow.aggregates.user_defined.listing import MachineFor, list_function
from windrow.aggregates.user_defined.machine import Halt, Ints, Machine, Returned, Step, Steps
from windrow.aggregates.user_defined.script import TUPLES, Script, Text
from windrow.buffers.parts import State, under, within
from windrow.catalog import Aggregate
from windrow.expressions.engine import INPUT, DataFault, Function, fetch, functions, tell
from windrow.schema import Schema

_COUNTS = Schema.of(("arrived", "BIGINT"), ("expired", "BIGINT"))


class Interpreter(Machine):
    """Runs an aggregate in ESL, statement by statement."""

    def __init__(self, aggregate: Aggregate, machine_for: MachineFor) -> None:
        assert aggregate.body is not None
        self._aggregate, self._body = aggregate, aggregate.body
        self._machine_for = machine_for
        self._script = Script(f"{aggregate.kind} {aggregate.name}", self._body, window=aggregate.window)
        self._tables = {name: GroupRows(schema.arrow) for name, schema in self._script.tables.items()}
        self._counts = GroupRows(_COUNTS.arrow)

    def run(self, steps: Steps, arguments: pa.Table) -> Returned:
        groups = np.unique(steps.groups)
        count = int(np.count_nonzero(steps.kinds == Step.ARRIVE))
        with self._loaded(groups, arguments, count) as counts:
            window, limit = self._aggregate.window, self._aggregate.limit
            run = _Run(self._script, counts, steps, window=window, limit=limit)
            halted = run.all()
            answer = fetch(f"SELECT * FROM {self._script.name(RETURN)} ORDER BY rowid")
        rows = answer.drop_columns([GROUP, ORDINAL])
        there = np.fromiter(counts, np.int64, len(counts))
        returned = Returned(
            answer[GROUP].to_numpy(),
            pa.table(rows.columns, schema=self._body.returns.arrow),
            np.setdiff1d(groups, there),
            np.array(run.failed, np.int64),
            tuple(run.reasons),
        )
        if halted is None:
            return returned
        raise Halt(halted, f"its tables have more than {self._aggregate.limit} rows", returned)

    def save(self) -> State:
        saved = under("groups", self._counts.save())
        for place, table in enumerate(self._tables.values()):
            saved |= under(f"table{place}", table.save())
        return saved

    def restore(self, state: State) -> None:
        self._counts.restore(within("groups", state))
        for place, table in enumerate(self._tables.values()):
            table.restore(within(f"table{place}", state))

    @contextmanager
    def _loaded(self, groups: Ints, arguments: pa.Table, count: int) -> Iterator[dict[int, list[int]]]:
        """Tables in DuckDB with all that concerns some groups; and how many tuples came and went there."""
        known = self._counts.take_out(groups)
        counts = {row[GROUP]: [row["arrived"], row["expired"]] for row in known.to_pylist()}
        try:
            for statement in (*self._script.drop(), *self._script.create()):
                tell(statement)
            for name, table in self._tables.items():
                _fill(self._script.name(name), table.take_out(groups))
            _fill(self._script.name(TUPLES), _numbered(arguments, count))
            with functions(self._functions()):
                yield counts
            for name, table in self._tables.items():
                table.put(_emptied(self._script.name(name), is_numbered=name == INWINDOW))
            self._counts.put(_as_table(counts, self._counts.schema))
        finally:
            for statement in self._script.drop():
                tell(statement)

    def _functions(self) -> Iterator[Function]:
        """What DuckDB calls for aggregates of the user's own: functions of lists of rows of arguments."""
        for name, called in self._body.calls.items():
            yield list_function(self._script.function(name), called, self._machine_for)


class _Run:
    """Steps, one after another."""

    def __init__(
        self, script: Script, counts: dict[int, list[int]], steps: Steps, *, window: bool, limit: int
    ) -> None:
        self._script, self._counts, self._steps = script, counts, steps
        self._window = window
        self._limit = limit
        self._grew = False
        """Whether something put rows into a table."""
        self._row = 0
        self.failed: list[int] = []
        self.reasons: list[str] = []

    def all(self) -> int | None:
        """Do the steps; the one at which the tables became too large, if any."""
        does = {
            Step.ARRIVE: self._arrive,
            Step.EXPIRE: self._expire,
            Step.TERMINATE: self._terminate,
            Step.FORGET: self._forget,
        }
        for step, (group, kind) in enumerate(
            zip(self._steps.groups.tolist(), self._steps.kinds.tolist(), strict=True)
        ):
            does[Step(kind)](group, step)
            if self._grew and self._are_large():
                return step
        return None

    def _are_large(self) -> bool:
        self._grew = False
        own = (self._script.name(table) for table in self._script.tables if table != INWINDOW)
        counted = " + ".join(f"(SELECT count(*) FROM {table})" for table in own)
        large: list[Any] = fetch(f"SELECT {counted} > {self._limit} AS large")["large"].to_pylist()
        return bool(large[0])

    def _arrive(self, group: int, step: int) -> None:
        is_new = group not in self._counts
        arrived = self._counts.setdefault(group, [0, 0])
        told = {"group": group, "ordinal": arrived[0], "row": self._row, "step": step}
        if self._window:
            _say(self._script.arrive, told)
        self._do(Event.INITIALIZE if is_new else Event.ITERATE, told)
        arrived[0] += 1
        self._row += 1

    def _expire(self, group: int, step: int) -> None:
        counts = self._counts[group]
        told = {"group": group, "ordinal": counts[1], "step": step}
        if len(fetch(self._script.is_there.sql, {"group": group, "ordinal": counts[1]})):
            self._do(Event.EXPIRE, told)
            _say(self._script.leave, told)
        counts[1] += 1
        if counts[0] == counts[1]:
            self._forget(group, step)

    def _terminate(self, group: int, step: int) -> None:
        if group in self._counts:
            self._do(Event.TERMINATE, {"group": group, "step": step})

    def _forget(self, group: int, step: int) -> None:
        if self._counts.pop(group, None):
            for text in self._script.forget():
                _say(text, {"group": group})

    def _do(self, event: Event, told: Mapping[str, int]) -> None:
        heard = self._steps.heard is None or bool(self._steps.heard[told["step"]])
        for text in self._script.events[event]:
            if text.returns and not heard:
                continue
            self._grew |= text.fills
            try:
                _say(text, told)
            except DataFault as fault:
                self.failed.append(told["step"])
                self.reasons.append(str(fault))
                return


def _say(text: Text, told: Mapping[str, int]) -> None:
    tell(text.sql, {name: told[name] for name in text.parameters})


def _fill(name: str, rows: pa.Table) -> None:
    if len(rows):
        tell(f"INSERT INTO {name} SELECT * FROM {INPUT}", table=rows)


def _numbered(arguments: pa.Table, count: int) -> pa.Table:
    """The arguments with their places; of an aggregate without arguments, as many places."""
    zeros, places = np.zeros(count, np.int64), np.arange(count)
    return pa.table([zeros, places, *arguments.columns], names=[GROUP, ORDINAL, *arguments.column_names])


def _emptied(name: str, *, is_numbered: bool) -> pa.Table:
    """The rows of a table of DuckDB's; in the window they have their numbers already."""
    number = "" if is_numbered else f' REPLACE (rowid AS "{ORDINAL}")'
    return fetch(f"SELECT *{number} FROM {name} ORDER BY rowid")


def _as_table(counts: Mapping[int, list[int]], schema: pa.Schema) -> pa.Table:
    groups = list(counts)
    arrived, expired = ([each[place] for each in counts.values()] for place in (0, 1))
    return pa.table([groups, [0] * len(groups), arrived, expired], schema=schema)
