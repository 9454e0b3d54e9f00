"""What meets the rows of an NRR: each tuple the rows as they were when it came; updates do not look back.

Nothing is kept of the tuples. A change counts for tuples that are newer than it, and at the clock some
may still come that are not; so the changes of that very instant are held until the next call.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.growing import grown
from windrow.buffers.parts import State, under, within
from windrow.delta import Delta, concat
from windrow.kernels.chains import NONE, link_all
from windrow.kernels.probing import TUPLE, probe
from windrow.operators.base import Operator
from windrow.operators.match_keys import Codes, MatchKeys
from windrow.operators.residual import residual_of
from windrow.operators.signed_side import Cancelled, Slots
from windrow.plan.joins import RelationHalfJoin, RelationJoin

Places: TypeAlias = npt.NDArray[np.int64]

BLOCK = 1 << 17
"""At most so many pairs are looked at at once."""
_HELD = "held"


class LookupOperator(Operator):
    """Runs a step whose right input is an NRR."""

    def __init__(self, node: RelationJoin | RelationHalfJoin) -> None:
        self._rows = KeyedRows(node)
        self._residual = residual_of(node)
        nothing = Delta.empty(0, node.right.schema.arrow)
        self._held = replace(nothing, sign=np.empty(0, np.int8))
        """Changes of the clock's instant."""
        self._looked_at = 0
        """Pairs."""

    @abstractmethod
    def _given(self, left: Delta, changes: Delta, tuples: Places, slots: Slots) -> Delta:
        """What tuples give that found the rows in these slots; changes were made among them."""

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        left, right = inputs
        changes = concat([self._held, right]) if len(right) else self._held
        due = changes.ts < left.clock
        self._held, changes = changes.take(~due), changes.take(due)
        found = [self._matching(left, *block) for block in self._rows.found(left, changes)]
        tuples = np.concatenate([tuples for tuples, _ in found])
        slots = np.concatenate([slots for _, slots in found])
        given = self._given(left, changes, tuples, slots)
        self._rows.forget()
        return given

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the state takes."""
        return self._rows.nbytes

    @property
    def probes(self) -> int:
        return self._looked_at

    def take_failures(self) -> pa.Table | None:
        return None if self._residual is None else self._residual.take_failures()

    def save(self) -> State:
        held = {_HELD: self._held.to_table()} if len(self._held) else {}
        return {**under("rows", self._rows.save()), **held}

    def restore(self, state: State) -> None:
        if rows := within("rows", state):
            self._rows.restore(rows)
        if _HELD in state:
            self._held = Delta.from_table(0, state[_HELD])

    def _matching(self, left: Delta, tuples: Places, slots: Slots) -> tuple[Places, Slots]:
        self._looked_at += len(tuples)
        if self._residual is None:
            return tuples, slots
        kept = self._residual.kept(
            left.rows.select(self._residual.left).take(tuples),
            self._rows.take(slots, self._residual.right),
        )
        return tuples[kept], slots[kept]


class KeyedRows:
    """What the relation holds, by key."""

    def __init__(self, node: RelationJoin | RelationHalfJoin) -> None:
        self._keys = MatchKeys(node.keys, node.left.schema)
        self._side = Cancelled(node.right.schema)
        self._ended = np.empty(0, np.int64)
        """Slots whose rows are gone, and may still be asked for."""
        self._empty()

    def _empty(self) -> None:
        self._key_of = np.empty(0, np.int64)
        self._ends = np.empty((0, 2), np.int64)
        self._links = np.empty((0, 2), np.int64)

    @property
    def nbytes(self) -> int:
        arrays = (self._key_of, self._ends, self._links)
        return self._side.rows.nbytes + sum(each.nbytes for each in arrays)

    def found(self, left: Delta, changes: Delta) -> Iterator[tuple[Places, Slots]]:
        """The rows that each tuple finds, in blocks, one at least; the changes are made on the way."""
        told = self._side.events(changes)
        if len(changes):
            self._enter(told.slot[told.sign > 0], changes.rows.filter(pa.array(told.sign > 0)))
        codes = self._keys.known_of_left(left.rows)
        order = told.ts, told.sign, told.slot, self._key_of[told.slot]
        at = np.array([0, 0, NONE])
        while at[TUPLE] <= len(left):
            out = np.empty((2, min(BLOCK, max(len(left), 1 << 10))), np.int64)
            count = probe(left.ts, codes, *order, self._ends, self._links, at, out)
            yield out[0, :count], out[1, :count]
        self._ended = told.slot[told.sign < 0]

    def take(self, slots: Slots, columns: Sequence[str]) -> pa.Table:
        return self._side.rows.take_or_null(slots, columns)

    def forget(self) -> None:
        """Let go of the rows that are gone, and of keys that no row has."""
        ended, self._ended = self._ended, self._ended[:0]
        if not len(ended):
            return
        keys = np.unique(self._key_of[ended])
        self._side.release(ended)
        if len(self._side.rows):
            self._keys.release(keys[(keys != NONE) & (self._ends[keys, 0] == NONE)])
        else:
            self._keys.clear()
            self._empty()

    def keys(self) -> Codes:
        """The code of the key of each row that is there, or NONE."""
        return self._key_of[self._side.rows.live()]

    def save(self) -> State:
        return self._side.save()

    def restore(self, state: State) -> None:
        self._side.restore(state)
        slots = self._side.rows.live()
        self._enter(slots, self._side.rows.take(slots))
        link_all(self._ends, self._links, self._key_of[slots], slots)

    def _enter(self, slots: Slots, rows: pa.Table) -> None:
        codes: Codes = self._keys.of_right(rows)
        self._key_of = grown(self._key_of, self._side.rows.capacity, NONE)
        self._links = grown(self._links, self._side.rows.capacity, NONE)
        self._ends = grown(self._ends, self._keys.capacity, NONE)
        self._key_of[slots] = codes
