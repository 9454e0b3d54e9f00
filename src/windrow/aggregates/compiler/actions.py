"""Actions of a definition as code. What an action computes is computed before anything is changed, so an
action that fails leaves all as it was; the loop over rows runs twice where a row could fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sqlglot import exp

from windrow.aggregate_body import (
    INWINDOW,
    RETURN,
    Action,
    Delete,
    InsertQuery,
    InsertRows,
    Update,
)
from windrow.aggregates.compiler.emitting import Emitter, Value
from windrow.aggregates.compiler.kinds import CannotCompile, Kind, Layout
from windrow.aggregates.compiler.queries import Queries
from windrow.aggregates.compiler.tables import Table, stored


class Actions:
    """Writes the actions at one event."""

    def __init__(
        self, emitter: Emitter, queries: Queries, tables: dict[str, Table], returns: Layout
    ) -> None:
        self._emitter, self._queries = emitter, queries
        self._tables, self._returns = tables, returns

    def write(self, place: int, action: Action) -> None:
        """An action, the so manieth of a step, and what follows if it fails."""
        self._place = place
        condition = f"at <= {place}"
        if isinstance(action, InsertRows | InsertQuery) and action.table == RETURN:
            condition += " and heard[step]"
        with self._emitter.block(f"if {condition}"):
            self._write(action)

    def _write(self, action: Action) -> None:
        before = self._emitter.failures
        match action:
            case InsertRows():
                self._insert_rows(action)
            case InsertQuery():
                self._insert_query(action)
            case Update():
                self._update(action)
            case Delete():
                self._delete(action)
        if self._emitter.failures > before:
            with self._emitter.block("if err"):
                self._emitter.say("break")

    def _insert_rows(self, action: InsertRows) -> None:
        rows = [[each.copy() for each in row] for row in action.rows]
        condition = None if action.condition is None else action.condition.copy()
        self._make_room(action.table, str(len(rows)))
        with self._if(condition):
            before = self._emitter.failures
            kinds = self._kinds(action.table)
            values = [
                [self._queries.scalars.value(*each) for each in zip(row, kinds, strict=True)]
                for row in rows
            ]
            with self._unless_failed(before):
                for row in values:
                    self._put(action.table, row)

    def _insert_query(self, action: InsertQuery) -> None:
        select = self._queries.taken_apart(action.query.copy())
        target = self._tables.get(action.table.lower())
        before = self._emitter.failures
        found = "1" if select.aggregates or select.table is None else select.table.size()
        self._make_room(action.table, found)
        if self._queries.folded(select):
            row = self._row(action.table, select.columns)
            with self._unless_failed(before):
                self._put(action.table, row)
            return
        self._queries.hoist(select.where, *select.columns)
        has_several = select.table is not None and not select.table.is_single
        if target and has_several and self._queries.reads(target, select.where, *select.columns):
            raise CannotCompile("a query, for each row, of the table that it fills")

        def each_row(write: bool) -> None:
            with self._queries.rows_of(select, target):
                start = self._emitter.failures
                row = self._row(action.table, select.columns)
                if write:
                    with self._unless_failed(start):
                        self._put(action.table, row)

        self._computed_first(select.table, each_row)

    def _update(self, action: Update) -> None:
        table = self._tables[action.table.lower()]
        values = [each.copy() for each in action.values]
        condition = None if action.condition is None else action.condition.copy()
        self._of_its_own(table, condition, *values)
        names = list(table.layout.schema.names)
        columns = [names.index(name) for name in action.columns]

        def each_row(write: bool) -> None:
            with self._chosen(table, condition) as slot:
                start = self._emitter.failures
                kinds = [table.layout.places[column][0] for column in columns]
                new = [self._queries.scalars.value(*each) for each in zip(values, kinds, strict=True)]
                if write:
                    with self._unless_failed(start):
                        table.store(slot, columns, new, self._emitter)

        self._computed_first(table, each_row)

    def _delete(self, action: Delete) -> None:
        table = self._tables[action.table.lower()]
        condition = None if action.condition is None else action.condition.copy()
        if condition is None:
            table.drop_all(self._emitter)
            return
        self._of_its_own(table, condition)

        def each_row(write: bool) -> None:
            with self._chosen(table, condition, older=action.older) as slot:
                if write:
                    table.drop(slot, self._emitter)

        self._computed_first(table, each_row)

    def _of_its_own(self, table: Table, *trees: exp.Expr | None) -> None:
        """Compute the queries that all rows share, while the table is as it was."""
        self._queries.hoist(*trees)
        if not table.is_single and self._queries.reads(table, *trees):
            raise CannotCompile("a query, for each row, of the table that it changes")

    @contextmanager
    def _chosen(self, table: Table, condition: exp.Expr | None, *, older: bool = False) -> Iterator[str]:
        """A loop over the rows for which a condition holds."""
        wanted = self._queries.wanted(table, table.name, condition)
        with (
            table.rows(self._emitter, where=wanted) as slot,
            self._queries.row(table.name, table, slot),
        ):
            truth = "True" if condition is None else self._queries.scalars.truth(condition)
            if older and table.name == INWINDOW:
                truth = f"{truth} and l{table.number}[{slot}, ORDINAL] < ordinal"
            with self._emitter.block(f"if {truth}"):
                yield slot

    def _computed_first(self, table: Table | None, each_row: Callable[[bool], None]) -> None:
        """Once to see whether it fails, where it can and there are several rows, and once to write."""
        if table is None or table.is_single:
            each_row(True)
            return
        before, mark = self._emitter.failures, len(self._emitter.lines)
        each_row(False)
        if self._emitter.failures == before:
            del self._emitter.lines[mark:]
        with self._unless_failed(before):
            each_row(True)

    @contextmanager
    def _unless_failed(self, before: int) -> Iterator[None]:
        if self._emitter.failures == before:
            yield
            return
        with self._emitter.block("if err == 0"):
            yield

    @contextmanager
    def _if(self, condition: exp.Expr | None) -> Iterator[None]:
        if condition is None:
            yield
            return
        truth = self._queries.scalars.truth(condition)
        with self._emitter.block(f"if {truth}"):
            yield

    def _row(self, table: str, columns: Sequence[exp.Expr]) -> list[Value]:
        kinds = self._kinds(table)
        return [self._queries.scalars.value(*each) for each in zip(columns, kinds, strict=True)]

    def _kinds(self, table: str) -> list[Kind]:
        layout = self._returns if table == RETURN else self._tables[table.lower()].layout
        return [kind for kind, _ in layout.places]

    def _put(self, table: str, values: Sequence[Value]) -> None:
        if table != RETURN:
            self._tables[table.lower()].put(values, self._emitter)
            return
        self._emitter.say("given[count] = step")
        stored(self._returns, "o", "count", range(len(values)), values, self._emitter)
        self._emitter.say("count += 1")

    def _make_room(self, table: str, rows: str) -> None:
        """Give up for now if there is no room for so many rows."""
        target = self._tables.get(table.lower()) if table != RETURN else None
        if target is not None and target.is_single:
            return
        room = "given.shape[0] - count" if target is None else target.room()
        give_up(self._emitter, room, rows, self._place, -1 if target is None else target.number)


def give_up(emitter: Emitter, room: str, rows: str, action: int, short: int) -> None:
    """Return where there is room for fewer rows than are to be put; -1 stands for the results."""
    with emitter.block(f"if {room} < {rows}"):
        emitter.say("progress[STEP], progress[ROW], progress[RETURNED] = step, row, count")
        emitter.say(f"progress[FAILED], progress[ACTION] = fails, {action}")
        emitter.say(f"progress[SHORT], progress[NEED] = {short}, {rows}")
        emitter.say("return")
