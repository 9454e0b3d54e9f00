"""Runs a definition that has become machine code: the same as the interpreter, and fast."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from windrow.aggregates.compiler.columns import Ints, Rows, Words, grown, packed, unpacked
from windrow.aggregates.compiler.loading import loaded
from windrow.aggregates.compiler.module import ARRIVED, CHANGED, EXPIRED, INDEX, Module
from windrow.aggregates.compiler.prelude import ACTION, FAILED, NEED, RETURNED, ROW, SHORT, STEP
from windrow.aggregates.compiler.store import Store
from windrow.aggregates.user_defined.group_rows import GroupRows
from windrow.aggregates.user_defined.in_python import what_raised
from windrow.aggregates.user_defined.machine import Halt, Machine, Returned, Step, Steps
from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import RowStore
from windrow.catalog import Aggregate
from windrow.schema import Schema

_COUNTS = Schema.of(("arrived", "BIGINT"), ("expired", "BIGINT"))
_RESULTS, _FAILURES = -1, -2
"""Where room may be short, besides in tables."""


class Compiled(Machine):
    """Runs an aggregate by generated code."""

    def __init__(self, aggregate: Aggregate, module: Module) -> None:
        self._aggregate, self._module, self.form = aggregate, module, module.form
        self._run = loaded(module.text)
        self._words = Words()
        self._stores = [Store(table, self._words) for table in module.tables]
        self._known = np.zeros((0, 3), np.int64)
        """Of each group how many tuples have arrived and expired, and whether that was saved."""
        self._saved = RowStore(GroupRows(_COUNTS.arrow).schema)
        self._numbers = np.empty(0, np.int64)

    def run(self, steps: Steps, arguments: pa.Table) -> Returned:
        self._grow(int(steps.groups.max(initial=-1)) + 1)
        given = _Given(self._module, len(steps))
        told = self._told(steps, arguments)
        while True:
            progress = given.progress
            try:
                self._run(*told, progress, *given.arrays, self._known, *self._arrays())
            except Exception as error:
                raise self._halt(error, steps, arguments, given) from error
            if progress[STEP] >= len(steps):
                break
            self._make_room(steps, given)
        returned = self._returned(steps, given)
        if self._words.are_many:
            self._forget_words()
        return returned

    def save(self) -> State:
        changed = np.flatnonzero(self._known[:, CHANGED])
        before = self._numbers[changed]
        self._saved.release(before[before >= 0])
        self._numbers[changed] = -1
        there = changed[self._known[changed, ARRIVED] > 0]
        columns = [there, np.zeros(len(there), np.int64), *self._known[there, : EXPIRED + 1].T]
        rows = pa.table([pa.array(column) for column in columns], schema=self._schema)
        self._numbers[there] = self._saved.append(rows) + np.arange(len(there))
        self._known[changed, CHANGED] = 0
        saved = under("groups", self._saved.save())
        for place, store in enumerate(self._stores):
            saved |= under(f"table{place}", store.save())
        return saved

    def restore(self, state: State) -> None:
        self._saved.restore(within("groups", state))
        numbers = self._saved.live()
        rows = self._saved.take(numbers)
        groups = rows.column(0).to_numpy()
        self._grow(int(groups.max(initial=-1)) + 1)
        self._numbers[groups] = numbers
        self._known[groups, ARRIVED] = rows["arrived"].to_numpy()
        self._known[groups, EXPIRED] = rows["expired"].to_numpy()
        for place, store in enumerate(self._stores):
            store.restore(within(f"table{place}", state))
            store.grow_groups(len(self._known))
        self._index()

    @property
    def _schema(self) -> pa.Schema:
        return GroupRows(_COUNTS.arrow).schema

    def _arrays(self) -> list[object]:
        return [array for store in self._stores for array in store.arrays]

    def _told(self, steps: Steps, arguments: pa.Table) -> list[object]:
        """What happens, as arrays."""
        heard = np.ones(len(steps), np.bool_) if steps.heard is None else steps.heard
        rows = packed(arguments, self._module.arguments, self._words)
        words = np.empty(0, np.int64)
        if self._module.strings:
            words = self._words.codes(pa.array(self._module.strings, pa.string()))
        arrays = (steps.groups, steps.kinds, heard, rows.integers, rows.floats, rows.nulls, words)
        return [np.require(array, requirements=["C", "W"]) for array in arrays]

    def _grow(self, capacity: int) -> None:
        known = len(self._known)
        if capacity <= known:
            return
        capacity = max(capacity, 2 * known)
        self._known = grown(self._known, capacity)
        self._numbers = np.concatenate([self._numbers, np.full(capacity - known, -1, np.int64)])
        for store in self._stores:
            store.grow_groups(capacity)

    def _make_room(self, steps: Steps, given: _Given) -> None:
        short, need = int(given.progress[SHORT]), int(given.progress[NEED])
        if short == _RESULTS:
            given.grow(need)
        elif short == _FAILURES:
            given.failed = grown(given.failed, 2 * len(given.failed))
        else:
            store = self._stores[short]
            if not store.is_window and self._kept() + need > self._aggregate.limit:
                reason = f"its tables would have more than {self._aggregate.limit} rows"
                raise Halt(int(given.progress[STEP]), reason, self._returned(steps, given))
            store.make_room(need)
            if store.is_searched:
                self._index()

    def _halt(self, error: Exception, steps: Steps, arguments: pa.Table, given: _Given) -> Halt:
        """A method of a class in Python raised something."""
        step, method = int(given.progress[STEP]), self._module.methods[given.progress[ACTION]]
        if steps.kinds[step] == Step.ARRIVE:
            (row,) = arguments.slice(int(given.progress[ROW]), 1).to_pylist() or ({},)
        elif steps.kinds[step] == Step.EXPIRE:
            row = self._stores[-1].oldest(int(steps.groups[step]))
        else:
            row = {}
        return Halt(step, what_raised(method, tuple(row.values()), error), self._returned(steps, given))

    def _index(self) -> None:
        """Hash the rows of all tables that are searched."""
        searched = [store for store in self._stores if store.is_searched]
        if not searched:
            return
        for store in searched:
            store.clear_index()
        groups = np.unique(np.concatenate([store.groups() for store in searched]))
        steps, given = Steps(groups, np.full(len(groups), INDEX, np.int8)), _Given(self._module, 0)
        told = self._told(steps, self._module.arguments.schema.arrow.empty_table())
        self._run(*told, given.progress, *given.arrays, self._known, *self._arrays())

    def _kept(self) -> int:
        """How many rows there are, but for those in the window."""
        return sum(store.live for store in self._stores if not store.is_window)

    def _returned(self, steps: Steps, given: _Given) -> Returned:
        count, fails = int(given.progress[RETURNED]), int(given.progress[FAILED])
        layout = self._module.returns
        columns = unpacked(given.rows.first(count), layout, self._words)
        occurring = np.bincount(steps.groups, minlength=len(self._known)) > 0
        occurring &= self._known[:, ARRIVED] == 0
        failed = given.failed[:fails]
        return Returned(
            given.steps[:count],
            pa.table(columns, schema=layout.schema.arrow),
            np.flatnonzero(occurring),
            failed[:, 0],
            tuple(self._module.reasons[code - 1] for code in failed[:, 1].tolist()),
        )

    def _forget_words(self) -> None:
        used = [store.words_used() for store in self._stores]
        self._words.keep(np.unique(np.concatenate([np.empty(0, np.int64), *used])))


class _Given:
    """What comes of steps, while they are done."""

    def __init__(self, module: Module, count: int) -> None:
        self.progress = np.zeros(7, np.int64)
        self.steps: Ints = np.empty(count + 16, np.int64)
        self.rows = Rows.empty(module.returns, count + 16)
        self.failed: Ints = np.empty((16, 2), np.int64)

    @property
    def arrays(self) -> tuple[object, ...]:
        return (self.steps, self.rows.integers, self.rows.floats, self.rows.nulls, self.failed)

    def grow(self, need: int) -> None:
        size = max(2 * len(self.steps), len(self.steps) + need)
        self.steps = grown(self.steps, size)
        self.rows.grow(size)
