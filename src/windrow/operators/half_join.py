"""EXISTS and NOT EXISTS, IN and NOT IN, by keys: the left rows whose key the right side has, or has not.

Of the right side it is enough to know how many rows have a key, so what a right row costs does not follow
from how many there are; only the first and the last one of a key concern the left rows that have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from windrow.buffers.growing import grown
from windrow.buffers.parts import State
from windrow.delta import Delta, concat
from windrow.kernels import halves as kernels
from windrow.kernels.chains import NONE, link_all
from windrow.kernels.events import EVENT, LEFT
from windrow.operators.base import Operator
from windrow.operators.match_keys import Codes, MatchKeys
from windrow.operators.signed_inputs import Events, SignedInputs
from windrow.operators.signed_side import Slots, signed_side
from windrow.plan.joins import Negation, SemiJoin
from windrow.plan.patterns import Pattern

Places: TypeAlias = npt.NDArray[np.int64]

BLOCK = 1 << 17
"""At most so many rows are handed out at once."""


class HalfJoinOperator(Operator):
    """Runs a Negation or a SemiJoin that has no condition beyond its keys, whatever the patterns."""

    def __init__(self, node: SemiJoin | Negation) -> None:
        self._schema = node.schema.arrow
        self._alone = isinstance(node, Negation)
        self._is_signed = node.pattern is Pattern.STR
        self._inputs = _CountedInputs(node)

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        events = self._inputs.events(inputs)
        clock = inputs[0].clock
        given = [self._given(events, *turns, clock) for turns in self._inputs.turns(events)]
        self._inputs.forget(events)
        return concat(given) if given else Delta.empty(clock, self._schema)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the state takes."""
        return self._inputs.nbytes

    def save(self) -> State:
        return self._inputs.save()

    def restore(self, state: State) -> None:
        self._inputs.restore(state)

    def _given(self, events: Events, event: Places, slots: Slots, clock: int) -> Delta:
        rows = self._inputs.left.rows.take(slots, self._schema.names)
        if not self._is_signed:
            return Delta(clock, rows, events.ts[event])
        turned = self._alone & (events.side[event] != LEFT)
        sign = np.where(turned, -events.sign[event], events.sign[event])
        return Delta(clock, rows, events.ts[event], sign=sign)


class _CountedInputs(SignedInputs):
    """The left rows in chains by key, the right ones as a number for each key."""

    _ends: Codes
    _links: Slots
    _all_ends: Codes
    _all_links: Slots
    _counts: Codes
    """Of right rows, by key."""
    _book: Codes
    """Of all right rows, and of those whose key is NULL; counted where NULLs are heeded."""

    def __init__(self, node: SemiJoin | Negation) -> None:
        keys = MatchKeys(node.keys, node.left.schema)
        left, right = node.left, node.right
        names = [name for _, name in node.keys] or right.schema.names[:1]
        super().__init__(
            keys,
            signed_side(left.schema, left.pattern, scanned=node.scanned),
            signed_side(right.schema.keep(names), right.pattern, scanned=node.scanned),
        )
        self._alone = isinstance(node, Negation)
        self._heeds = isinstance(node, Negation) and node.null_aware
        self._empty()

    @property
    def nbytes(self) -> int:
        arrays = (self._ends, self._links, self._all_links, self._counts)
        return super().nbytes + sum(each.nbytes for each in arrays)

    def turns(self, events: Events) -> Iterator[tuple[Places, Slots]]:
        """The left rows that begin or cease to be given, with the events that make them, in blocks."""
        at = np.array([0, NONE])
        told = (events.side, events.sign, events.slot, events.key, self._alone, self._heeds)
        chains = (self._ends, self._links, self._all_ends, self._all_links)
        known = (self._key_of[LEFT], self._counts, self._book)
        while at[EVENT] < len(events):
            out = np.empty((2, BLOCK), np.int64)
            count = kernels.turns(*told, *chains, *known, at, out)
            if count:
                yield out[0, :count], out[1, :count]

    def _fit(self) -> None:
        self._links = grown(self._links, self.left.rows.capacity, NONE)
        if self._heeds:
            self._all_links = grown(self._all_links, self.left.rows.capacity, NONE)
        self._ends = grown(self._ends, self._keys.capacity, NONE)
        self._counts = grown(self._counts, self._keys.capacity, 0)

    def _empty(self) -> None:
        self._ends = np.empty((0, 2), np.int64)
        self._links = np.empty((0, 2), np.int64)
        self._all_ends = np.full((1, 2), NONE)
        self._all_links = np.empty((0, 2), np.int64)
        self._counts = np.zeros(0, np.int64)
        self._book = np.zeros(2, np.int64)

    def _are_unused(self, keys: Codes) -> npt.NDArray[np.bool_]:
        unused: npt.NDArray[np.bool_] = (self._ends[keys, 0] == NONE) & (self._counts[keys] == 0)
        return unused

    def _begin_again(self, side: int, slots: Slots, keys: Codes) -> None:
        if side == LEFT:
            link_all(self._ends, self._links, keys, slots)
            if self._heeds:
                link_all(self._all_ends, self._all_links, np.zeros_like(keys), slots)
            return
        np.add.at(self._counts, keys[keys != NONE], 1)
        if self._heeds:
            self._book += np.array([len(keys), np.count_nonzero(keys == NONE)])
