"""Whatever no declaration covers: DuckDB computes it anew from the live tuples of each group that changed,
all such calls of an operator and many moments of a batch in one statement. So it is with the base
aggregates of the user's own, which DuckDB hands lists of tuples.

DuckDB sees a group's tuples in the order in which they came, which settles what ARRAY_AGG and the like
give without an ORDER BY of their own. A call that fails on a group, as on an overflow, gives NULL there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from sqlglot import exp

from windrow.aggregates.base import Aggregate
from windrow.aggregates.calls import Call
from windrow.aggregates.events import Events, Moments
from windrow.aggregates.ingredients import Arrived, Ingredient
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.members import Members
from windrow.aggregates.parts import Ending, Failure, Part
from windrow.aggregates.tuples import Column, one_array
from windrow.aggregates.user_defined.calls import version
from windrow.aggregates.user_defined.choose import machine_for
from windrow.aggregates.user_defined.listing import list_function, over_list
from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import RowStore
from windrow.expressions.engine import INPUT, DataFault, Function, ask, functions
from windrow.schema import Field, Schema

Ints = npt.NDArray[np.int64]

_MOMENT, _GROUP, _HALTED = "__moment", "__group", "halted"


def asked(call: Call, field: Field, ledger: Ledger) -> Aggregate:
    """An aggregate that DuckDB computes."""
    answers = ledger.part(Answers, ledger.input, ledger.ending)
    answers.slot = ledger.ingredient(_Slot(answers))
    return _Asked(answers, answers.want(call, field))


class _Asked(Aggregate):
    """One of the calls."""

    def __init__(self, answers: Answers, name: str) -> None:
        self._answers = answers
        self._name = name

    def results(self, events: Events) -> pa.Array[Any]:
        return one_array(self._answers.noted[self._name])


@dataclass(frozen=True)
class _Slot(Ingredient):
    """Where a tuple is kept."""

    answers: Answers

    @property
    def type(self) -> pa.DataType:
        return pa.int64()

    def of(self, arrived: Arrived) -> Column:
        return pa.array(self.answers.members.arrive(arrived))


class Answers(Part):
    """The answers to all calls of an operator that DuckDB computes."""

    is_rebuilt = False

    def __init__(self, input_: Schema, ending: Ending) -> None:
        self._input, self._ending = input_, ending
        self._calls: list[Call] = []
        self._fields: list[Field] = []
        self._functions: list[Function] = []
        self._last_of = np.empty(0, np.int64)
        """Where the last answers for a group are; -1: nowhere."""
        self._failures: list[Failure] = []
        self._is_halted = False
        self.slot = ""
        """The ingredient with a tuple's slot."""

    def want(self, call: Call, field: Field) -> str:
        """Ask one more call; the name of its answers. All are known before the first tuple comes."""
        name = f"r{len(self._calls)}"
        if (called := version(call.tree, window=False)) is not None:
            self._functions.append(
                list_function(f"__{name}", called, machine_for, distinct=call.distinct, halt=self._halt)
            )
            call = replace(call, tree=over_list(call.tree, f"__{name}", called.parameters))
        self._calls.append(call)
        self._fields.append(Field(name, field.type))
        return name

    def observe(self, events: Events) -> None:
        """Note the answers at each moment: at openings the last ones."""
        moments = events.moments
        blocks = self.members.blocks(events, events.tuples.integers(self.slot))
        answers = [self._answers(at, rows) for at, rows in blocks]
        openings, known = self._known(moments, events.capacity)
        last = self._last.take(self._last_of[openings[known]])
        found = [answer[_MOMENT].to_numpy() for answer in answers]
        place = np.zeros(len(moments), np.int64)
        where = np.concatenate([known, *found])
        place[where] = 1 + np.arange(len(where))
        columns = [field.name for field in self._fields]
        parts = [part.select(columns) for part in (self._of_nothing, last, *answers)]
        self.noted = pa.concat_tables(parts).take(place)
        self._keep_last(moments)

    @property
    def is_halted(self) -> bool:
        return self._is_halted

    def take_failures(self) -> Sequence[Failure]:
        failures, self._failures = self._failures, []
        return failures

    def forget(self, groups: Ints) -> None:
        there = self._last_of[groups]
        self._last.release(there[there >= 0])
        self._last_of[groups] = -1

    def save(self, changed: Ints) -> State:
        halted = pa.table({_HALTED: [self._is_halted]})
        return {
            **under("members", self.members.save()),
            **under("last", self._last.save()),
            _HALTED: halted,
        }

    def restore(self, state: State) -> None:
        self._is_halted = state[_HALTED][_HALTED][0].as_py()
        self.members.restore(within("members", state))
        self._last.restore(within("last", state))
        numbers = self._last.live()
        groups = self._last.take(numbers)[_GROUP].to_numpy()
        self._last_of = np.full(int(groups.max(initial=-1)) + 1, -1)
        self._last_of[groups] = numbers

    @cached_property
    def members(self) -> Members:
        """The tuples that are live, with the columns that the calls read."""
        return Members(self._columns, self._ending)

    @cached_property
    def _columns(self) -> Schema:
        return self._input.keep(name for call in self._calls for name in call.columns)

    @cached_property
    def _last(self) -> RowStore:
        return RowStore(Schema((*self._fields, Field(_GROUP, "BIGINT"))).arrow)

    @cached_property
    def _of_nothing(self) -> pa.Table:
        """The answers for a group without tuples."""
        nothing = pa.schema([pa.field(_MOMENT, pa.int64()), *self._columns.arrow]).empty_table()
        with functions(self._functions):
            return ask(f"SELECT {self._wanted} FROM {self._typed}", nothing)

    @cached_property
    def _wanted(self) -> str:
        pairs = zip(self._calls, self._fields, strict=True)
        return ", ".join(f"CAST({call.sql} AS {field.type}) AS {field.name}" for call, field in pairs)

    @cached_property
    def _typed(self) -> str:
        """The input, with types that Arrow does not know."""
        names = [exp.to_identifier(field.name, quoted=True).sql("duckdb") for field in self._columns]
        columns = [
            f"CAST({name} AS {field.type}) AS {name}"
            for name, field in zip(names, self._columns, strict=True)
        ]
        return f"(SELECT {', '.join([_MOMENT, *columns])} FROM {INPUT})"

    def _known(self, moments: Moments, capacity: int) -> tuple[Ints, Ints]:
        """The groups of the openings, and the places of those that have answers."""
        more = np.full(max(capacity - len(self._last_of), 0), -1)
        self._last_of = np.concatenate([self._last_of, more])
        openings = moments.groups[: moments.openings]
        return openings, np.flatnonzero(self._last_of[openings] >= 0)

    def _keep_last(self, moments: Moments) -> None:
        final = moments.final()
        groups = moments.groups[final]
        self.forget(groups)
        rows = self.noted.take(final).append_column(_GROUP, pa.array(groups))
        self._last_of[groups] = self._last.append(rows) + np.arange(len(groups))

    def _answers(self, at: Ints, rows: pa.Table) -> pa.Table:
        """The answers at the moments of these tuples."""
        told = rows.append_column(_MOMENT, pa.array(at))
        statement = f"SELECT {_MOMENT}, {self._wanted} FROM {self._typed} GROUP BY {_MOMENT}"
        try:
            with functions(self._functions):
                return ask(statement, told)
        except DataFault as fault:
            starts = np.flatnonzero(at[1:] != at[:-1]) + 1
            if not len(starts):
                return self._failed(int(at[0]), str(fault))
        middle = int(starts[len(starts) // 2])
        halves = [(at[:middle], rows.slice(0, middle)), (at[middle:], rows.slice(middle))]
        return pa.concat_tables([self._answers(*half) for half in halves])

    def _halt(self, failure: Failure) -> None:
        """An aggregate of the user's own cannot go on."""
        if not self._is_halted:
            self._failures.append(failure)
        self._is_halted = True

    def _failed(self, moment: int, reason: str) -> pa.Table:
        self._failures.append((None, reason))
        schema = Schema((Field(_MOMENT, "BIGINT"), *self._fields)).arrow
        return pa.Table.from_pylist([{_MOMENT: moment}], schema)
