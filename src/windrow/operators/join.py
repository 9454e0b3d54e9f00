"""The join of two inputs whose tuples say when they end, if ever: symmetric, each side kept by key.

A pair counts from when the younger of its tuples comes until the first of them ends, so nobody has to
tell of ends, and what has ended may stay in the state for a while: it is recognised. Tuples that are
both live at an instant are paired whichever came first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from windrow.buffers.expiring import expiries_for
from windrow.buffers.pairing import Arrivals, Pairing, Pairs
from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import RowStore
from windrow.delta import NEVER, Delta
from windrow.operators.base import Operator
from windrow.operators.match_keys import Codes, MatchKeys
from windrow.operators.residual import residual_of
from windrow.plan.joins import Join
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern

_EXP = "__exp"
_FEW = 1 << 10
"""So many tuples that have ended are not worth the while of clearing up."""


class JoinOperator(Operator):
    """Runs an inner Join whose inputs are not strict."""

    def __init__(self, node: Join) -> None:
        if node.pattern is Pattern.STR:
            raise ValueError("this join takes no negative tuples, and gives none")
        self._schema = node.schema.arrow
        self._expires = node.pattern is not Pattern.MON
        self._keys = MatchKeys(node.keys, node.left.schema)
        self._left, self._right = (_Side(each, scanned=node.scanned) for each in node.inputs)
        self._residual = residual_of(node)
        self._pairing = Pairing()
        self._ended = 0
        """Tuples that are gone, but still in the lists."""
        self._looked_at = 0
        """Pairs."""

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        left, right = inputs
        arrived = (
            self._left.arrive(left, self._keys.of_left(left.rows)),
            self._right.arrive(right, self._keys.of_right(right.rows)),
        )
        blocks = [self._matching(each) for each in self._pairing.pairs(*arrived, self._keys.capacity)]
        given = self._given(left.clock, [each for each in blocks if len(each.ts)])
        self._clear_up(left.clock)
        return given

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the state takes."""
        return self._left.rows.nbytes + self._right.rows.nbytes + self._pairing.nbytes

    @property
    def probes(self) -> int:
        return self._looked_at + self._left.ends.probes + self._right.ends.probes

    def take_failures(self) -> pa.Table | None:
        return None if self._residual is None else self._residual.take_failures()

    def save(self) -> State:
        return {**under("left", self._left.rows.save()), **under("right", self._right.rows.save())}

    def restore(self, state: State) -> None:
        for place, (side, name) in enumerate(((self._left, "left"), (self._right, "right"))):
            side.rows.restore(within(name, state))
            numbers = side.rows.live()
            rows = side.rows.take(numbers)
            exp = rows[_EXP].to_numpy()
            codes = (self._keys.of_right if place else self._keys.of_left)(rows)
            side.ends.insert(numbers, exp)
            self._pairing.enter(place, exp, codes, numbers, self._keys.capacity)

    def _matching(self, pairs: Pairs) -> Pairs:
        """The pairs that meet the condition, too."""
        self._looked_at += len(pairs.ts)
        if self._residual is None:
            return pairs
        kept = self._residual.kept(
            self._left.rows.take(pairs.left, self._residual.left),
            self._right.rows.take(pairs.right, self._residual.right),
        )
        return Pairs(pairs.left[kept], pairs.right[kept], pairs.ts[kept], pairs.exp[kept])

    def _given(self, clock: int, blocks: Sequence[Pairs]) -> Delta:
        if not blocks:
            return Delta.empty(clock, self._schema)
        tables = [self._joined(block) for block in blocks]
        ts = np.concatenate([block.ts for block in blocks])
        exp = np.concatenate([block.exp for block in blocks]) if self._expires else None
        return Delta(clock, pa.concat_tables(tables), ts, exp)

    def _joined(self, pairs: Pairs) -> pa.Table:
        left = self._left.rows.take(pairs.left, self._left.columns)
        right = self._right.rows.take(pairs.right, self._right.columns)
        return pa.table([*left.columns, *right.columns], schema=self._schema)

    def _clear_up(self, clock: int) -> None:
        """Let go of what has ended; of the lists, when it has become much of them."""
        self._ended += self._left.release(clock) + self._right.release(clock)
        live = len(self._left.rows) + len(self._right.rows)
        if self._ended > max(live, _FEW) or (self._ended and not live):
            self._keys.release(self._pairing.drop(clock))
            self._ended = 0


class _Side:
    """The live tuples of one input, and when they end."""

    def __init__(self, node: Node, *, scanned: bool) -> None:
        self.columns = node.schema.names
        self.rows = RowStore(node.schema.arrow.append(pa.field(_EXP, pa.int64())))
        self.ends = expiries_for(node.pattern, scanned=scanned)

    def arrive(self, delta: Delta, codes: Codes) -> Arrivals:
        """Keep the tuples that have a key."""
        if len(codes) and codes.min() < 0:
            delta, codes = delta.take(codes >= 0), codes[codes >= 0]
        exp = np.full(len(delta), NEVER) if delta.exp is None else delta.exp
        first = self.rows.append(delta.rows.append_column(_EXP, pa.array(exp)))
        self.ends.insert(np.arange(first, first + len(exp)), exp)
        return Arrivals(delta.ts, exp, codes, first)

    def release(self, clock: int) -> int:
        """Let the rows go that have ended; how many they are."""
        numbers, _ = self.ends.expire_until(clock)
        self.rows.release(numbers)
        return len(numbers)
