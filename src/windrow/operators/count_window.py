"""Windows of a number of tuples: the newest so many of all, or of each value of some columns.

Nobody can foresee when the next tuples come, so one that is pushed out is told by a negative tuple. With
a slide, tuples wait until so many have come since the window last moved, and then move it together; of
these the window lets in only as many as it holds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.keys import KeyCodes
from windrow.buffers.lists import Lists, with_room
from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import RowStore
from windrow.buffers.saved_array import SavedArray
from windrow.delta import BEGINNING, NEVER, Delta, Instants, Signs
from windrow.kernels import counting
from windrow.operators.base import Operator
from windrow.plan.windows import OutputWindow, Window

Codes = npt.NDArray[np.int64]


class CountWindow(Operator):
    """Runs a window of a number of tuples."""

    def __init__(self, node: Window | OutputWindow) -> None:
        self._size, self._slide = node.spec.size, node.spec.slide or 1
        keys = node.input.schema.keep(node.spec.partition)
        self._partition = keys.names
        self._coder = KeyCodes(keys) if len(keys) else None
        self._rows = RowStore(node.schema.arrow)
        self._keys = np.zeros((1, 5), np.int64)
        self._chain, self._number = np.empty(0, np.int64), np.empty(0, np.int64)
        self._book = np.zeros(3, np.int64)
        self._phases = SavedArray()

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        (delta,) = inputs
        if not len(delta):
            return Delta(delta.clock, delta.rows, delta.ts, None, np.empty(0, np.int8))
        codes = self._codes(delta.rows)
        self._make_room(len(delta))
        first = self._rows.append(delta.rows)
        changed, mover, sign, gone = counting.arrive(
            codes, first, self._size, self._slide, self._keys, self._chain, self._number, self._book
        )
        if (delta.ts[1:] == delta.ts[:-1]).any():
            settled = _settled(changed, delta.ts[mover], sign)
            changed, mover, sign = changed[settled], mover[settled], sign[settled]
        rows = self._rows.take(changed)
        self._rows.release(gone)
        return Delta(delta.clock, rows, delta.ts[mover], None, sign)

    def save(self) -> State:
        if not self._keys[:, counting.NEWEST].any() and not self._keys[:, counting.PHASE].any():
            return {}
        codes = self._coder.save() if self._coder is not None else {}
        phases = self._phases.save(self._keys[:, counting.PHASE]) if self._slide > 1 else {}
        return {**under("rows", self._rows.save()), **under("keys", codes), **under("phases", phases)}

    def restore(self, state: State) -> None:
        self._rows.restore(within("rows", state))
        if self._coder is not None:
            self._coder.restore(within("keys", state))
        numbers = self._rows.live()
        codes = self._codes(self._rows.take(numbers, self._partition or None))
        phases = self._phases.restore(within("phases", state))
        self._keys[: len(phases), counting.PHASE] = phases
        self._line_up(codes, numbers)

    def _codes(self, rows: pa.Table) -> Codes:
        """The key of each row; there is a place for it."""
        if self._coder is None:
            return np.zeros(len(rows), np.int64)
        codes = self._coder.codes(rows)
        if self._coder.capacity > len(self._keys):
            more = np.zeros((self._coder.capacity - len(self._keys), 5), np.int64)
            self._keys = np.concatenate([self._keys, more])
        return codes

    def _make_room(self, count: int) -> None:
        """Slots for so many more tuples."""
        needed = int(self._book[counting.USED]) + count
        self._chain, self._number = with_room(self._chain, needed), with_room(self._number, needed)

    def _line_up(self, codes: Codes, numbers: Codes) -> None:
        """Make the lists of all keys anew, of the tuples that are there and of how many of them wait."""
        lists = Lists.of(codes)
        self._chain, self._number = lists.chain, numbers[lists.order]
        phase = self._keys[lists.keys, counting.PHASE]
        waiting = np.maximum(phase - max(0, self._slide - self._size), 0)
        held = lists.counts - waiting
        self._keys[lists.keys, counting.OLDEST] = lists.first
        self._keys[lists.keys, counting.ENTERING] = np.where(waiting > 0, lists.first + held, 0)
        self._keys[lists.keys, counting.NEWEST] = lists.first + lists.counts - 1
        self._keys[lists.keys, counting.HELD] = held
        self._book[:] = 0, len(codes), int(waiting.sum())


def _settled(changed: Codes, ts: Instants, sign: Signs) -> Codes:
    """The changes that outlast their instant, in time order; of each, those that leave come first."""
    numbers, of = np.unique(changed, return_inverse=True)
    entered, left = np.full(len(numbers), BEGINNING), np.full(len(numbers), NEVER)
    entered[of[sign > 0]], left[of[sign < 0]] = ts[sign > 0], ts[sign < 0]
    lasting = np.flatnonzero((entered != left)[of])
    settled: Codes = lasting[np.lexsort((sign[lasting], ts[lasting]))]
    return settled
