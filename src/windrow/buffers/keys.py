"""Equal keys, equal small numbers: what lets kernels group and match tuples of any columns.

A key is the values of some columns; NULL equals NULL, and NaN equals NaN. Without columns there is one
key, that all rows have. Codes are dense, so that arrays can be indexed by them: a new key takes the
smallest code that no key has.

A key of one whole number or instant is looked up by its value. Any other key is looked up by a hash of
64 bits, and compared with the key that was found there: keys that share a hash are told apart by
hashing on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.parts import State
from windrow.buffers.rows import RowStore
from windrow.delta import room
from windrow.expressions.engine import INPUT, ask
from windrow.kernels import hashing
from windrow.schema import Schema

Codes = npt.NDArray[np.int64]
Keys = npt.NDArray[np.int64]

_CODE = "__code"
_FIRST_CAPACITY = 1024
_FURTHEST = 16
"""Numbers are found directly where their range is at most so many times the room for them."""
_NULL = np.int64(-0x61C8864680B583EB)
"""Stands for NULL among whole numbers; whoever has this very value is told apart by comparing."""
_MULTIPLIER = np.uint64(0xD1342543DE82EF95)


class KeyCodes:
    """The keys that are known, and their codes."""

    def __init__(self, schema: Schema) -> None:
        self._columns = schema
        self._is_number = len(schema) < 2 and all(map(_is_number, schema.arrow.types))
        self._stored = RowStore(schema.arrow.append(pa.field(_CODE, pa.int64())))
        """The key of each code, in the order in which they came."""
        self._row_of = np.empty(_FIRST_CAPACITY, np.int64)
        self._key_of = np.empty(_FIRST_CAPACITY, np.int64)
        self._slots = np.zeros(2 * _FIRST_CAPACITY, np.int64)
        self._free = np.empty(0, np.int64)
        self._taken = 0
        self._least, self._direct = 0, np.empty(0, np.int64)
        """Of whole numbers that lie close together, from the least on, one more than their codes, or 0."""
        self._shared: set[int] = set()
        """Hashes that several keys have had: these keys are never forgotten, or others would be lost."""

    def __len__(self) -> int:
        return self._taken - len(self._free)

    @property
    def capacity(self) -> int:
        """All codes are below it. It doubles."""
        return len(self._row_of)

    def codes(self, rows: pa.Table) -> Codes:
        """The code of each row's key; a key that is new gets one."""
        return self._coded(_plain(rows.select(self._columns.names)), assign=True)

    def find(self, rows: pa.Table) -> Codes:
        """The code of each row's key, or -1."""
        return self._coded(_plain(rows.select(self._columns.names)), assign=False)

    def known(self) -> Codes:
        """The codes that have keys, rising."""
        return np.setdiff1d(np.arange(self._taken), self._free)

    def keys(self, codes: Codes) -> pa.Table:
        """The key columns of codes."""
        return self._stored.take(self._row_of[codes]).select(self._columns.names)

    def release(self, codes: Codes) -> None:
        """Forget the keys of these codes, each given once; they may be given to other keys."""
        if self._shared:
            codes = codes[~np.isin(self._key_of[codes], np.array(sorted(self._shared), np.int64))]
        if not len(codes):
            return
        codes = np.ascontiguousarray(codes)
        hashing.remove(codes, self._slots, self._key_of)
        places = self._key_of[codes] - self._least
        inside = (places >= 0) & (places < len(self._direct))
        self._direct[places[inside][self._direct[places[inside]] == codes[inside] + 1]] = 0
        self._stored.release(self._row_of[codes])
        self._free = np.sort(np.concatenate([self._free, codes]))

    def save(self) -> State:
        return self._stored.save()

    def restore(self, state: State) -> None:
        self._stored.restore(state)
        numbers = self._stored.live()
        table = self._stored.take(numbers)
        codes = table[_CODE].to_numpy()
        self._taken = int(codes.max()) + 1 if len(codes) else 0
        self._free = np.setdiff1d(np.arange(self._taken), codes)
        while self.capacity < self._taken:
            self._grow()
        self._row_of[codes] = numbers
        self._enter_again(table.select(self._columns.names), codes)

    def _coded(self, table: pa.Table, *, assign: bool) -> Codes:
        hashes = self._hashes(table)
        if self._is_number:
            direct = room(len(hashes), np.int64)
            if not hashing.look_up(hashes, self._least, self._direct, direct):
                return direct
        if not assign:
            codes = hashing.find(hashes, self._slots, self._key_of)
        else:
            codes = self._assigned(table, hashes)
        wrong = self._wrong(table, hashes, codes)
        if self._is_number:
            self._learn(hashes, codes, np.flatnonzero((direct < 0) & (codes >= 0) & (hashes != _NULL)))
        if len(wrong):
            self._tell_apart(table, hashes, codes, wrong, assign=assign)
        return codes

    def _learn(self, numbers: Keys, codes: Codes, places: npt.NDArray[np.int64]) -> None:
        """Find these numbers directly the next time, unless they lie too far apart."""
        if not len(places):
            return
        numbers, codes = numbers[places], codes[places]
        low, high, end = int(numbers.min()), int(numbers.max()), self._least + len(self._direct)
        if not self._least <= low <= high < end:
            self._make_places(low, high)
        inside = (numbers >= self._least) & (numbers - self._least < len(self._direct))
        self._direct[numbers[inside] - self._least] = codes[inside] + 1

    def _make_places(self, low: int, high: int) -> None:
        """Have places for numbers from one to another and, if it can be, for those that had them."""
        known, first = self._direct, self._least
        if len(known):
            low, high = min(low, first), max(high, first + len(known) - 1)
            low = max(low - (high - low) // 2, -(2**63)) if low < first else low
        if high - low > _FURTHEST * self.capacity:
            self._least, self._direct = 0, np.empty(0, np.int64)
            return
        self._least, self._direct = low, np.zeros(1 << (high - low + 1).bit_length(), np.int64)
        self._direct[first - low :][: len(known)] = known

    def _assigned(self, table: pa.Table, hashes: Keys) -> Codes:
        codes, new = (room(len(hashes), np.int64) for _ in range(2))
        used = np.array([self._taken, 0, 0, 0])
        hash_table = self._slots, self._key_of
        while hashing.assign(hashes, *hash_table, self._free, used, codes, new) < len(hashes):
            self._grow()
            hash_table = self._slots, self._key_of
        self._taken, self._free = int(used[0]), self._free[used[1] :]
        if used[3]:
            self._store(table, codes, new[: used[3]])
        return codes

    def _store(self, table: pa.Table, codes: Codes, places: npt.NDArray[np.int64]) -> None:
        """Keep the keys of new codes, each from the first row that has it."""
        columns = [*table.take(places).columns, pa.array(codes[places])]
        rows = pa.table(columns, names=[*self._columns.names, _CODE])
        self._row_of[codes[places]] = self._stored.append(rows) + np.arange(len(places))

    def _wrong(self, table: pa.Table, hashes: Keys, codes: Codes) -> npt.NDArray[np.int64]:
        """The rows whose key is not the one that was found by its hash."""
        if self._is_number:
            looked_at = np.flatnonzero(hashes == _NULL)
            looked_at = looked_at[codes[looked_at] >= 0]
        else:
            looked_at = np.flatnonzero(codes >= 0)
        if not len(looked_at):
            return looked_at
        asked = table if len(looked_at) == len(table) else table.take(looked_at)
        return looked_at[~_equal(asked, self.keys(codes[looked_at]))]

    def _tell_apart(
        self, table: pa.Table, hashes: Keys, codes: Codes, wrong: npt.NDArray[np.int64], *, assign: bool
    ) -> None:
        """Look rows up by their next hash, until each finds its own key or none."""
        while len(wrong):
            self._shared.update(hashes[wrong].tolist())
            hashes[wrong] = (hashes[wrong].view(np.uint64) * _MULTIPLIER + np.uint64(1)).view(np.int64)
            rows, tried = table.take(wrong), hashes[wrong]
            if assign:
                codes[wrong] = self._assigned(rows, tried)
            else:
                codes[wrong] = hashing.find(tried, self._slots, self._key_of)
            wrong = wrong[self._wrong(rows, tried, codes[wrong])]

    def _hashes(self, table: pa.Table) -> Keys:
        if not table.num_columns:
            return np.zeros(len(table), np.int64)
        if self._is_number:
            return _numbers(table.column(0))
        names = [f"c{place}" for place in range(len(self._columns))]
        statement = f"SELECT hash({', '.join(names)}) AS hash FROM {INPUT}"
        hashes: Any = ask(statement, table.rename_columns(names))["hash"].to_numpy()
        return np.array(hashes).view(np.int64)

    def _enter_again(self, table: pa.Table, codes: Codes) -> None:
        """Fill the hash table with keys that have their codes already."""
        hashes = self._hashes(table)
        left = np.arange(len(codes))
        while len(left):
            _, first = np.unique(hashes[left], return_index=True)
            found = hashing.find(hashes[left], self._slots, self._key_of)
            fit = np.zeros(len(left), np.bool_)
            fit[first] = True
            fit &= found < 0
            entering = left[fit]
            self._key_of[codes[entering]] = hashes[entering]
            hashing.put(codes[entering], self._slots, self._key_of)
            left = left[~fit]
            self._shared.update(hashes[left].tolist())
            hashes[left] = (hashes[left].view(np.uint64) * _MULTIPLIER + np.uint64(1)).view(np.int64)

    def _grow(self) -> None:
        count = len(self._row_of)
        self._row_of = np.concatenate([self._row_of, np.empty(count, np.int64)])
        self._key_of = np.concatenate([self._key_of, np.empty(count, np.int64)])
        known = self._slots[self._slots > 0] - 1
        self._slots = np.zeros(4 * count, np.int64)
        hashing.put(known, self._slots, self._key_of)


def _is_number(type_: pa.DataType) -> bool:
    return bool(pa.types.is_integer(type_) or pa.types.is_timestamp(type_) or pa.types.is_date32(type_))


def _plain(table: pa.Table) -> pa.Table:
    return table.combine_chunks() if any(column.num_chunks > 1 for column in table.columns) else table


def _numbers(column: pa.ChunkedArray[Any]) -> Keys:
    """Whole numbers as they are, in 64 bits; NULL as the number that stands for it."""
    values = column.combine_chunks()
    width = values.type.bit_width
    bits = values.view(getattr(pa, f"int{width}")()) if not pa.types.is_integer(values.type) else values
    if bits.null_count:
        bits = bits.fill_null(0)
    numbers: Keys = room(len(bits), np.int64)
    np.copyto(numbers, bits.to_numpy(), casting="unsafe")
    if values.null_count:
        numbers[np.asarray(values.is_null())] = _NULL
    return numbers


def _equal(left: pa.Table, right: pa.Table) -> npt.NDArray[np.bool_]:
    """Whether rows are equal, in SQL's sense for GROUP BY."""
    width = left.num_columns
    names = [f"l{place}" for place in range(width)] + [f"r{place}" for place in range(width)]
    both = pa.table([*left.columns, *right.columns], names=names)
    same = " AND ".join(f"l{place} IS NOT DISTINCT FROM r{place}" for place in range(width))
    answer: npt.NDArray[np.bool_] = ask(f"SELECT {same} AS same FROM {INPUT}", both)["same"].to_numpy()
    return answer
