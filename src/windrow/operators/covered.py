"""EXISTS and NOT EXISTS, IN and NOT IN, by keys, where all ends are foreseen: the left rows whose key the
right side has now, or has not.

Of the right side each key's latest end is enough, so its rows are not kept; of the left side those rows are
kept that may turn once more (`kernels/covers.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.growing import grown
from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import RowStore
from windrow.buffers.saved_array import SavedArray
from windrow.delta import BEGINNING, NEVER, Delta
from windrow.kernels import covers as kernels
from windrow.kernels.chains import NONE
from windrow.kernels.covers import (
    DONE,
    FREE,
    IDLE,
    LENGTH,
    NEEDED,
    NEXT,
    NO_KEY,
    ORIGIN,
    TIMERS,
    TOLD,
)
from windrow.operators.base import Operator
from windrow.operators.match_keys import Codes, MatchKeys
from windrow.plan.joins import Negation, SemiJoin
from windrow.plan.patterns import Pattern

Numbers: TypeAlias = npt.NDArray[np.int64]

_EXP = "__exp"
_FEWEST = 256
_BLOCK = 1 << 16
"""So much is told at once, or what one event tells."""


class CoveredOperator(Operator):
    """Runs a Negation or a SemiJoin without a condition, whose left input is WKS or MON, and whose right
    input is not STR."""

    def __init__(self, node: SemiJoin | Negation) -> None:
        self._schema = node.schema.arrow
        self._alone = isinstance(node, Negation)
        self._is_signed = node.pattern is Pattern.STR
        self._on, self._left = node.keys, node.left.schema
        self._saved_until = SavedArray()
        self._open()

    def _open(self) -> None:
        self._keys = MatchKeys(self._on, self._left)
        self._store = RowStore(self._schema.append(pa.field(_EXP, pa.int64())))
        self._chains = np.empty((0, 3), np.int64)
        self._until, self._armed = np.empty(0, np.int64), np.empty(0, np.int64)
        self._rows, self._heap = np.empty((0, 3), np.int64), np.empty((0, 2), np.int64)
        self._book = np.array([NONE, 0])

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the state takes."""
        arrays = (self._chains, self._until, self._armed, self._rows, self._heap)
        return self._store.nbytes + sum(each.nbytes for each in arrays)

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        left, right = inputs
        left_key, right_key = self._keys.of_left(left.rows) + 1, self._keys.of_right(right.rows) + 1
        self._fit()
        sides = (left.ts, _ends_of(left), left_key, right.ts, _ends_of(right), right_key)
        slots, at = np.full(len(left), NONE), np.zeros(7, np.int64)
        said: list[tuple[Numbers, ...]] = []
        while not at[DONE]:
            self._make_room()
            room = max(_BLOCK, int(at[NEEDED]))
            out = np.empty((room, 3), np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
            kernels.turns(self._alone, *sides, left.clock, *self._state, slots, *out, at)
            said.append(tuple(part[:count] for part, count in zip(out, at[TOLD : IDLE + 1], strict=True)))
        told, gone, idle = map(np.concatenate, zip(*said, strict=True))
        given = self._given(left, told)
        self._store.release(gone)
        self._keep(left, slots)
        self._forget(idle)
        return given

    def save(self) -> State:
        if not len(self._keys) and not len(self._store):
            return {}
        return {
            **under("keys", self._keys.save()),
            **under("until", self._saved_until.save(self._until ^ BEGINNING)),
            **under("rows", self._store.save()),
        }

    def restore(self, state: State) -> None:
        self._keys.restore(within("keys", state))
        self._store.restore(within("rows", state))
        self._fit()
        until = self._saved_until.restore(within("until", state)) ^ BEGINNING
        self._until[: len(until)] = until
        numbers = self._store.live()
        table = self._store.take(numbers, [*self._keys.columns[0], _EXP])
        self._add_slots(len(numbers))
        self._heap = grown(self._heap, len(self._until) + 1, 0)
        keys, exp = self._keys.of_left(table) + 1, table[_EXP].to_numpy()
        kernels.put_back(self._alone, exp, ~numbers, keys, *self._state)

    @property
    def _state(self) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers, Numbers]:
        return self._chains, self._until, self._armed, self._rows, self._heap, self._book

    def _fit(self) -> None:
        """Have room for all keys."""
        capacity = self._keys.capacity + 1
        known = len(self._chains)
        self._chains = grown(self._chains, capacity, NONE)
        self._chains[known:, LENGTH] = 0
        self._until = grown(self._until, capacity, BEGINNING)
        self._armed = grown(self._armed, capacity, NEVER)

    def _make_room(self) -> None:
        """Have a free slot, and room for one more timer."""
        if self._book[FREE] == NONE:
            self._add_slots(len(self._rows))
        if self._book[TIMERS] == len(self._heap):
            self._heap = grown(self._heap, max(_FEWEST, 2 * len(self._heap)), 0)

    def _add_slots(self, count: int) -> None:
        """So many free slots, or some more."""
        first = len(self._rows)
        self._rows = grown(self._rows, first + max(_FEWEST, count), NONE)
        self._rows[first:-1, NEXT] = np.arange(first + 1, len(self._rows))
        self._rows[-1, NEXT] = self._book[FREE]
        self._book[FREE] = first

    def _given(self, left: Delta, told: Numbers) -> Delta:
        ts, origin, sign = np.ascontiguousarray(told.T)
        rows = self._told_rows(left.rows, origin)
        return Delta(left.clock, rows, ts, sign=sign.astype(np.int8) if self._is_signed else None)

    def _told_rows(self, batch: pa.Table, origin: Numbers) -> pa.Table:
        """Rows of the batch and of the store, in one order."""
        names, is_new = self._schema.names, origin >= 0
        new = batch.select(names).take(origin[is_new])
        if is_new.all():
            return new
        known = self._store.take(~origin[~is_new], names)
        if not len(new):
            return known
        place = np.empty(len(origin), np.int64)
        place[np.concatenate([np.flatnonzero(is_new), np.flatnonzero(~is_new)])] = np.arange(len(origin))
        return pa.concat_tables([new, known]).take(place)

    def _keep(self, left: Delta, slots: Numbers) -> None:
        """Put those rows of the batch into the store that are kept beyond it."""
        kept = kernels.remaining(slots, self._rows)
        if len(kept):
            rows = left.rows.select(self._schema.names).append_column(_EXP, pa.array(_ends_of(left)))
            first = self._store.append(rows if len(kept) == len(rows) else rows.take(kept))
            self._rows[slots[kept], ORIGIN] = ~np.arange(first, first + len(kept))

    def _forget(self, idle: Codes) -> None:
        """Let go of keys that nobody has any more."""
        keys = np.unique(idle)
        unused = (self._armed[keys] == NEVER) & (self._chains[keys, LENGTH] == 0)
        self._keys.release(keys[unused & (self._until[keys] == BEGINNING) & (keys != NO_KEY)] - 1)
        if not len(self._keys) and not len(self._store):
            self._open()


def _ends_of(delta: Delta) -> Numbers:
    return np.full(len(delta), NEVER) if delta.exp is None else np.ascontiguousarray(delta.exp)
