"""The join of two inputs whose tuples say when they end, if ever: symmetric, each side kept by key.

A pair counts from when the younger of its tuples comes until the first of them ends, so nobody has to
tell of ends, and what has ended may stay in the state for a while: it is recognised. Tuples that are
both live at an instant are paired whichever came first.

Where ends are to be told, a tuple that ends looks for its partners again; so no pair has to be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from windrow.buffers.expiring import expiries_for
from windrow.buffers.pairing import NO_ENDS, Arrivals, Ended, Numbers, Pairing, Pairs
from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import RowStore
from windrow.delta import NEVER, Delta, Instants, concat
from windrow.operators.base import Operator
from windrow.operators.match_keys import Codes, MatchKeys
from windrow.operators.residual import residual_of
from windrow.plan.joins import Join
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern

Coded: TypeAlias = Callable[[pa.Table], Codes]
"""Gives the code of the key of each row."""

_EXP = "__exp"
_FEW = 1 << 10
"""So many tuples that have ended are not worth the while of clearing up."""


class JoinOperator(Operator):
    """Runs an inner Join whose inputs are not strict."""

    def __init__(self, node: Join) -> None:
        if any(each.pattern is Pattern.STR for each in node.inputs):
            raise ValueError("this join takes no negative tuples")
        self._schema = node.schema.arrow
        self._pattern = node.pattern
        self._keys = keys = MatchKeys(node.keys, node.left.schema)
        left, right = keys.columns
        self._left = _Side(node, node.left, left, keys.of_left, keys.known_of_left)
        self._right = _Side(node, node.right, right, keys.of_right, keys.known_of_right)
        self._same = {right: left for left, right in node.keys if not _are_alike(node.left, left)}
        """Columns of the right input that are, in each pair, as ones of the left input."""
        self._differing = [name for name in self._right.columns if name not in self._same]
        self._residual = residual_of(node)
        self._pairing = Pairing()
        self._ended = 0
        """Tuples that are gone, but still in the lists."""
        self._looked_at = 0
        """Pairs."""

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        clock = inputs[0].clock
        arrived = self._left.arrive(inputs[0]), self._right.arrive(inputs[1])
        blocks = self._pairing.pairs(*arrived, self._keys.capacity)
        given = [self._given(clock, self._matching(each)) for each in blocks]
        self._clear_up(clock)
        return concat(given) if given else Delta.empty(clock, self._schema)

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
            self._pairing.enter(place, *side.restore(within(name, state)), self._keys.capacity)

    def _matching(self, pairs: Pairs) -> Pairs:
        """The pairs that meet the condition, too."""
        self._looked_at += len(pairs.ts)
        if self._residual is None:
            return pairs
        kept = self._residual.kept(
            self._left.rows.take(pairs.left, self._residual.left),
            self._right.rows.take(pairs.right, self._residual.right),
        )
        return Pairs(pairs.left[kept], pairs.right[kept], pairs.exp[kept], pairs.ts[kept])

    def _given(self, clock: int, pairs: Pairs) -> Delta:
        left = self._left.rows.take(pairs.left, self._left.columns)
        right = self._right.rows.take(pairs.right, self._differing)
        columns = [
            left[self._same[name]] if name in self._same else right[name] for name in self._right.columns
        ]
        rows = pa.table([*left.columns, *columns], schema=self._schema)
        tells, expires = self._pattern is Pattern.STR, self._pattern is Pattern.WK
        sign = np.where(pairs.exp > pairs.ts, 1, -1).astype(np.int8) if tells else None
        return Delta(clock, rows, pairs.ts, pairs.exp.copy() if expires else None, sign)

    def _clear_up(self, clock: int) -> None:
        """Let go of what has ended; of the lists, when it has become much of them."""
        self._ended += self._left.release() + self._right.release()
        live = len(self._left.rows) + len(self._right.rows)
        if self._ended > max(live, _FEW) or (self._ended and not live):
            self._keys.release(self._pairing.drop(clock))
            self._ended = 0


class _Side:
    """The live tuples of one input, and when they end."""

    def __init__(self, join: Join, node: Node, key: Sequence[str], coded: Coded, known: Coded) -> None:
        self.columns = node.schema.names
        self._told = [*key, _EXP]
        """The columns that say what a row meets, and until when."""
        self.rows = RowStore(node.schema.arrow.append(pa.field(_EXP, pa.int64())))
        self.ends = expiries_for(node.pattern, scanned=join.scanned)
        self._coded, self._known = coded, known
        self._tells = join.pattern is Pattern.STR
        self._ended = NO_ENDS.numbers

    def arrive(self, delta: Delta) -> Arrivals:
        """Keep the tuples that have a key. Those that end are there until they are released."""
        codes = self._coded(delta.rows)
        if len(codes) and codes.min() < 0:
            delta, codes = delta.take(codes >= 0), codes[codes >= 0]
        exp = np.full(len(delta), NEVER) if delta.exp is None else delta.exp
        first = self.rows.append(delta.rows.append_column(_EXP, pa.array(exp)))
        self.ends.insert(np.arange(first, first + len(exp)), exp)
        self._ended, ends = self.ends.expire_until(delta.clock)
        if not self._tells:
            return Arrivals(delta.ts, exp, codes, first)
        ended = Ended(ends, self._known(self.rows.take(self._ended, self._told)), self._ended)
        return Arrivals(delta.ts, exp, codes, first, ended)

    def release(self) -> int:
        """Let the rows go that have ended; how many they are."""
        self.rows.release(self._ended)
        return len(self._ended)

    def restore(self, state: State) -> tuple[Instants, Codes, Numbers]:
        """The ends of the rows that are there again, the codes of their keys, and their numbers."""
        self.rows.restore(state)
        numbers = self.rows.live()
        rows = self.rows.take(numbers, self._told)
        exp = rows[_EXP].to_numpy()
        self.ends.insert(numbers, exp)
        return exp, self._coded(rows), numbers


def _are_alike(node: Node, name: str) -> bool:
    """Whether values of a column may be equal and not the same, as 0.0 and -0.0 are."""
    type_ = node.schema.arrow.field(name).type
    return bool(pa.types.is_floating(type_) or pa.types.is_nested(type_))
