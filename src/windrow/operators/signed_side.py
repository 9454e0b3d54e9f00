"""One input of an operator that has to know of every end when it comes: begins and ends in one order.

On MON, WKS and WK edges a tuple says when it ends; on STR edges a negative tuple does, and is about the
oldest tuple that is equal to it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.expiring import expiries_for
from windrow.buffers.growing import grown
from windrow.buffers.keys import KeyCodes
from windrow.buffers.parts import State
from windrow.buffers.slots import SlottedRows
from windrow.delta import NEVER, Delta, Instants, Signs
from windrow.kernels.chains import NONE, resolve
from windrow.plan.patterns import Pattern
from windrow.schema import Schema

Slots = npt.NDArray[np.int64]

EXP = "__exp"
"""When a foreseen row ends."""


@dataclass(frozen=True, slots=True)
class SideEvents:
    """What begins and ends on one side, in time order, by the slots of its rows."""

    ts: Instants
    rank: Signs
    """0 for ends that were foreseen: at an instant they come before all else."""
    sign: Signs
    slot: Slots


class SignedSide(ABC):
    """The live rows of an input."""

    rows: SlottedRows

    @abstractmethod
    def events(self, delta: Delta) -> SideEvents:
        """What begins and ends up to the delta's clock. Rows that end are there until they are released."""

    @abstractmethod
    def release(self, ended: Slots) -> None:
        """Forget rows that have ended."""

    def save(self) -> State:
        return self.rows.save()

    @abstractmethod
    def restore(self, state: State) -> None: ...


def signed_side(schema: Schema, pattern: Pattern, *, scanned: bool = False) -> SignedSide:
    """What keeps the rows of an edge, or some of their columns; `scanned`: the direct approach."""
    return Cancelled(schema) if pattern is Pattern.STR else Foreseen(schema, pattern, scanned=scanned)


class Foreseen(SignedSide):
    """Rows that say when they end, if ever."""

    def __init__(self, schema: Schema, pattern: Pattern, *, scanned: bool) -> None:
        self._names = list(schema.names)
        self.rows = SlottedRows(schema.arrow.append(pa.field(EXP, pa.int64())))
        self._expiries = expiries_for(pattern, scanned=scanned)

    def events(self, delta: Delta) -> SideEvents:
        exp = np.full(len(delta), NEVER) if delta.exp is None else delta.exp
        rows = delta.rows.select(self._names).append_column(EXP, pa.array(exp))
        slots = self.rows.enter(rows)
        self._expiries.insert(slots, exp)
        ended, ends = self._expiries.expire_until(delta.clock)
        ts = np.concatenate([ends, delta.ts])
        order = np.argsort(ts, kind="stable")
        begins = np.repeat(np.array([0, 1], np.int8), [len(ended), len(slots)])[order]
        return SideEvents(ts[order], begins, 2 * begins - 1, np.concatenate([ended, slots])[order])

    def release(self, ended: Slots) -> None:
        self.rows.release(ended)

    def restore(self, state: State) -> None:
        self.rows.restore(state)
        slots = self.rows.live()
        self._expiries.insert(slots, self.rows.take(slots, [EXP])[EXP].to_numpy())


class Cancelled(SignedSide):
    """Rows that negative tuples end."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.rows = SlottedRows(schema.arrow)
        self._empty()

    def _empty(self) -> None:
        self._values = KeyCodes(self._schema)
        self._ends = np.empty((0, 2), np.int64)
        self._links = np.empty((0, 2), np.int64)
        """Chains of equal rows, by the codes of their values."""
        self._value = np.empty(0, np.int64)
        """These codes, by slot."""

    def events(self, delta: Delta) -> SideEvents:
        sign = np.ones(len(delta), np.int8) if delta.sign is None else delta.sign
        rows = delta.rows.select(list(self._schema.names))
        values = self._values.codes(rows)
        entered = self.rows.enter(rows.filter(pa.array(sign > 0)))
        slots = self._resolved(sign, values, entered)
        if len(slots) and slots.min() == NONE:
            raise ValueError("a negative tuple cancels none that came before it")
        return SideEvents(delta.ts, np.ones(len(delta), np.int8), sign, slots)

    def release(self, ended: Slots) -> None:
        values = np.unique(self._value[ended])
        self.rows.release(ended)
        if not len(self.rows):
            self._empty()
            return
        self._values.release(values[self._ends[values, 0] == NONE])

    def restore(self, state: State) -> None:
        self.rows.restore(state)
        slots = self.rows.live()
        values = self._values.codes(self.rows.take(slots))
        self._resolved(np.ones(len(slots), np.int8), values, slots)

    def _resolved(self, sign: Signs, values: npt.NDArray[np.int64], entered: Slots) -> Slots:
        self._ends = grown(self._ends, self._values.capacity, NONE)
        self._links = grown(self._links, self.rows.capacity, NONE)
        self._value = grown(self._value, self.rows.capacity, NONE)
        self._value[entered] = values[sign > 0]
        return resolve(sign, values, entered, self._ends, self._links)
