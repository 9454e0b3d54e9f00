"""Two inputs with their rows in chains by key: what pairs each begin makes, and each end breaks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.growing import grown
from windrow.kernels import events as kernels
from windrow.kernels.chains import NONE, link_all
from windrow.operators.match_keys import Codes, MatchKeys
from windrow.operators.residual import residual_of
from windrow.operators.signed_inputs import Events, SignedInputs
from windrow.operators.signed_side import Slots, signed_side
from windrow.plan.joins import Matching

BLOCK = 1 << 17
"""At most so many pairs are handed out at once."""


@dataclass(frozen=True, slots=True)
class SignedPairs:
    """Some pairs of live rows, in the order of the events that make or break them."""

    event: npt.NDArray[np.int64]
    left: Slots
    right: Slots
    done: int
    """So many events have no pairs to come."""


class PairedInputs(SignedInputs):
    """The live rows of both inputs of a join, or of what is half a join."""

    _ends: list[Codes]
    _links: list[Slots]

    def __init__(self, node: Matching) -> None:
        keys = MatchKeys(node.keys, node.left.schema)
        super().__init__(
            keys,
            *(signed_side(each.schema, each.pattern, scanned=node.scanned) for each in node.inputs),
        )
        self._residual = residual_of(node)
        self.looked_at = 0
        """Pairs that had to be looked at so far."""
        self._empty()

    @property
    def nbytes(self) -> int:
        return super().nbytes + sum(each.nbytes for each in (*self._ends, *self._links))

    def pairs(self, events: Events) -> Iterator[SignedPairs]:
        """The pairs that meet the condition, in blocks. The iterator has to be exhausted."""
        at = np.array([0, NONE])
        told = (events.side, events.sign, events.slot, events.key)
        chains = (self._ends[0], self._links[0], self._ends[1], self._links[1])
        while at[kernels.EVENT] < len(events):
            out = np.empty((3, BLOCK), np.int64)
            count = kernels.pairs(*told, *chains, at, out)
            event, left, right = out[:, :count]
            self.looked_at += count
            yield self._matching(SignedPairs(event, left, right, int(at[kernels.EVENT])))

    def take_failures(self) -> pa.Table | None:
        return None if self._residual is None else self._residual.take_failures()

    def _matching(self, pairs: SignedPairs) -> SignedPairs:
        if self._residual is None:
            return pairs
        kept = self._residual.kept(
            self.left.rows.take(pairs.left, self._residual.left),
            self.right.rows.take(pairs.right, self._residual.right),
        )
        return SignedPairs(pairs.event[kept], pairs.left[kept], pairs.right[kept], pairs.done)

    def _fit(self) -> None:
        sides = zip(self._links, self._sides, strict=True)
        self._links = [grown(links, side.rows.capacity, NONE) for links, side in sides]
        self._ends = [grown(ends, self._keys.capacity, NONE) for ends in self._ends]

    def _empty(self) -> None:
        self._ends = [np.empty((0, 2), np.int64) for _ in self._sides]
        self._links = [np.empty((0, 2), np.int64) for _ in self._sides]

    def _are_unused(self, keys: Codes) -> npt.NDArray[np.bool_]:
        left, right = (ends[keys, 0] == NONE for ends in self._ends)
        unused: npt.NDArray[np.bool_] = left & right
        return unused

    def _begin_again(self, side: int, slots: Slots, keys: Codes) -> None:
        link_all(self._ends[side], self._links[side], keys, slots)
