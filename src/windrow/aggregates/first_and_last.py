"""FIRST, LAST and ANY_VALUE: what the oldest and the newest live tuple of a group have.

Where tuples are taken back, or an order is asked for, DuckDB looks at all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from sqlglot import exp

from windrow.aggregates.arguments import is_plain
from windrow.aggregates.base import Aggregate, FromSums
from windrow.aggregates.calls import Call
from windrow.aggregates.events import Events
from windrow.aggregates.ingredients import Arrived, Ingredient
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.members import Members
from windrow.aggregates.parts import Ending, Part
from windrow.aggregates.tuples import Column, Ints, one_array
from windrow.buffers.parts import State
from windrow.schema import Field, Schema


def first(call: Call, field: Field, ledger: Ledger) -> Aggregate | None:
    """FIRST, NULL or not."""
    return _end(call, field, ledger, lambda ends: ends.first)


def last(call: Call, field: Field, ledger: Ledger) -> Aggregate | None:
    """LAST, NULL or not."""
    return _end(call, field, ledger, lambda ends: ends.last)


def any_value(call: Call, field: Field, ledger: Ledger) -> Aggregate | None:
    """ANY_VALUE: the first that is not NULL."""
    return _end(call, field, ledger, lambda ends: ends.first, skips_nulls=True)


def _end(
    call: Call, field: Field, ledger: Ledger, choose: Callable[[Ends], Any], *, skips_nulls: bool = False
) -> Aggregate | None:
    column = call.only_column()
    if column is None or call.distinct or call.order or not is_plain(call):
        return None
    if ledger.ending in (Ending.TOLD, Ending.PANES) or (
        call.tree.find(exp.IgnoreNulls) and not skips_nulls
    ):
        return None
    ends = ledger.part(Ends, column, call.filter_column(), skips_nulls, ledger.input, ledger.ending)
    ends.slot = ledger.ingredient(_Slot(ends))
    return FromSums(lambda: choose(ends).cast(field.arrow.type))


@dataclass(frozen=True)
class _Slot(Ingredient):
    """Where a tuple is kept; NULL where it does not count."""

    ends: Ends

    @property
    def type(self) -> pa.DataType:
        return pa.int64()

    def of(self, arrived: Arrived) -> Column:
        return self.ends.arrive(arrived)


class Ends(Part):
    """Of each group the tuples that count, in the order of their coming."""

    is_rebuilt = False

    def __init__(
        self, column: str, where: str | None, skips_nulls: bool, input_: Schema, ending: Ending
    ) -> None:
        self._column, self._where, self._skips_nulls = column, where, skips_nulls
        self._members = Members(input_.keep([column]), ending)
        self._stay = ending is Ending.NEVER
        nothing = one_array(input_.keep([column]).arrow.empty_table().column(0))
        self.first: Any = nothing
        """After `observe`, what the first tuple has at each moment."""
        self.last: Any = nothing
        self.slot = ""
        """The ingredient with a tuple's slot."""

    def arrive(self, arrived: Arrived) -> Column:
        """Keep the tuples that count; the slot of each."""
        counted = np.ones(len(arrived.rows), np.bool_)
        if self._skips_nulls:
            counted &= np.asarray(arrived.rows[self._column].is_valid())
        if self._where is not None:
            conditions: Any = one_array(arrived.rows[self._where])
            counted &= np.asarray(conditions.fill_null(False))
        slots = np.zeros(len(arrived.rows), np.int64)
        there = Arrived(
            arrived.rows.filter(pa.array(counted)), arrived.groups[counted], arrived.signs[counted]
        )
        slots[counted] = self._members.arrive(there)
        return pa.array(slots, mask=~counted)

    def observe(self, events: Events) -> None:
        signs, slots = events.counting(self.slot), events.tuples.integers(self.slot)
        self.first, self.last = self._members.ends(events, signs, slots, stay=self._stay)

    def forget(self, groups: Ints) -> None:
        """Groups without tuples have none in their lists."""

    def save(self, changed: Ints) -> State:
        return self._members.save()

    def restore(self, state: State) -> None:
        self._members.restore(state)
