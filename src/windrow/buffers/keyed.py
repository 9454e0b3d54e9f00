"""Rows found by their value: for STR edges, whose negative tuples say what goes, and not when."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from windrow.buffers.keys import KeyCodes
from windrow.buffers.lists import Lists, with_room
from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import Numbers, RowStore
from windrow.delta import Signs
from windrow.kernels import multiset
from windrow.schema import Schema

_CODE = "__code"


class KeyedRows:
    """A multiset of rows. Each has a number, and of equal ones that which came first goes first."""

    def __init__(self, schema: Schema) -> None:
        self._coder = KeyCodes(schema)
        self._codes = RowStore(pa.schema([(_CODE, pa.int64())]))
        self._lists = np.zeros((0, 2), np.int64)
        self._chain, self._number = np.empty(0, np.int64), np.empty(0, np.int64)
        self._book = np.zeros(2, np.int64)

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def nbytes(self) -> int:
        return self._codes.nbytes + self._lists.nbytes + self._chain.nbytes + self._number.nbytes

    def change(self, rows: pa.Table, sign: Signs) -> Numbers:
        """Let rows in, and others go; the number of each. What goes can be taken until `forget`."""
        codes = self._coder.codes(rows)
        self._make_room(len(codes))
        entering = codes[sign > 0]
        first = self._codes.append(pa.table({_CODE: entering}))
        numbers = multiset.change(codes, sign, first, self._lists, self._chain, self._number, self._book)
        if (numbers < 0).any():
            raise ValueError("a negative tuple cancels one that entered before, and none did")
        return numbers

    def take(self, numbers: Numbers) -> pa.Table:
        """Rows by number."""
        return self._coder.keys(self._codes.take(numbers)[_CODE].to_numpy())

    def live(self) -> Numbers:
        """The numbers of the rows that are there, rising."""
        return self._codes.live()

    def forget(self, numbers: Numbers) -> None:
        """Free what is kept of rows that are gone."""
        codes = np.unique(self._codes.take(numbers)[_CODE].to_numpy())
        self._codes.release(numbers)
        self._coder.release(codes[self._lists[codes, multiset.OLDEST] == 0])

    def save(self) -> State:
        if not len(self):
            return {}
        return {**under("codes", self._codes.save()), **under("keys", self._coder.save())}

    def restore(self, state: State) -> None:
        self._codes.restore(within("codes", state))
        self._coder.restore(within("keys", state))
        numbers = self._codes.live()
        lists = Lists.of(self._codes.take(numbers)[_CODE].to_numpy())
        self._make_room(0)
        self._chain, self._number = lists.chain, numbers[lists.order]
        self._lists[lists.keys, multiset.OLDEST] = lists.first
        self._lists[lists.keys, multiset.NEWEST] = lists.first + lists.counts - 1
        self._book[:] = 0, len(numbers)

    def _make_room(self, count: int) -> None:
        needed = int(self._book[multiset.USED]) + count
        self._chain, self._number = with_room(self._chain, needed), with_room(self._number, needed)
        if self._coder.capacity > len(self._lists):
            more = np.zeros((self._coder.capacity - len(self._lists), 2), np.int64)
            self._lists = np.concatenate([self._lists, more])
