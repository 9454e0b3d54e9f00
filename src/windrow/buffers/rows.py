"""Rows kept by number. Numbers rise; rows leave in any order, mostly those first that came first.

Rows lie in immutable chunks of Arrow tables. Small chunks are merged as they age, as in a log-structured
tree, and a chunk of which most rows are gone is written anew without them; so memory follows what is
live, and what is saved follows what changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.buffers.gathering import are_plain, gathered
from windrow.buffers.parts import State

Numbers = npt.NDArray[np.int64]

LARGE = 1 << 16
"""Chunks of so many rows are not merged any more."""
_FEW = 8
"""So many chunks are looked through one after another."""
_NUMBER = "__number"
_GONE, _BITS = "gone", "bits"


@dataclass(eq=False)
class _Chunk:
    """Rows with their numbers, rising, and which of them are gone."""

    numbers: Numbers
    rows: pa.Table
    saved: pa.Table | None = None
    gone: npt.NDArray[np.bool_] | None = None
    live: int = -1

    def __post_init__(self) -> None:
        if self.live < 0:
            self.live = len(self.numbers)

    @property
    def first(self) -> int:
        return int(self.numbers[0])

    @property
    def has_gaps(self) -> bool:
        """Whether a number is missing between its first and its last."""
        return int(self.numbers[-1]) - self.first >= len(self.numbers)

    @classmethod
    def of_part(cls, part: pa.Table, bits: Mapping[int, bytes]) -> _Chunk:
        """As it was saved; `bits` tell of chunks, by their first numbers, which rows are gone."""
        chunk = cls(part[_NUMBER].to_numpy(), part.drop_columns([_NUMBER]), saved=part)
        if told := bits.get(chunk.first):
            packed = np.frombuffer(told, np.uint8)
            chunk.gone = np.unpackbits(packed, count=len(chunk.numbers)).astype(np.bool_)
            chunk.live -= int(np.count_nonzero(chunk.gone))
        return chunk

    def places(self, numbers: Numbers) -> Numbers:
        """Where in the chunk rows of these numbers are."""
        return np.searchsorted(self.numbers, numbers) if self.has_gaps else numbers - self.first

    def piece(self, name: str) -> pa.Array[Any]:
        """A column."""
        only: Any = self.rows[name].chunk(0)
        column: pa.Array[Any] = only
        return column

    def run(self, first: int, last: int) -> pa.Table:
        """The rows with numbers from the first to the last, without copying them."""
        start, stop = np.searchsorted(self.numbers, (first, last + 1))
        return self.rows.slice(start, stop - start)

    def release(self, numbers: Numbers) -> None:
        if self.gone is None:
            self.gone = np.zeros(len(self.numbers), np.bool_)
        self.gone[self.places(numbers)] = True
        self.live -= len(numbers)

    def compacted(self) -> _Chunk:
        """The chunk without the rows that are gone."""
        if self.gone is None or self.live == len(self.numbers):
            return self
        there = ~self.gone
        return _Chunk(self.numbers[there], self.rows.filter(pa.array(there)).combine_chunks())

    def part(self) -> pa.Table:
        """What is saved of it: the same object as long as the rows are."""
        if self.saved is None:
            self.saved = self.rows.append_column(_NUMBER, pa.array(self.numbers))
        return self.saved


class RowStore:
    """Rows of one schema. A row is there from `append` to `release`."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._chunks: list[_Chunk] = []
        self._firsts: Numbers = np.empty(0, np.int64)
        self._next = 0
        self._told: pa.Table | None = None
        """What was saved last of the numbers: the next one, and by chunks those that are gone."""

    def __len__(self) -> int:
        return sum(chunk.live for chunk in self._chunks)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the rows take, those included that are gone but not yet freed."""
        return sum(chunk.rows.nbytes + chunk.numbers.nbytes for chunk in self._chunks)

    def append(self, rows: pa.Table) -> int:
        """Keep rows; the number of the first, from which the others count on."""
        first, self._next = self._next, self._next + len(rows)
        if len(rows):
            self._chunks.append(_Chunk(np.arange(first, self._next), rows.combine_chunks()))
            self._merge()
        return first

    def take(self, numbers: Numbers, columns: Sequence[str] | None = None) -> pa.Table:
        """Rows by number, in this order; one may be asked for several times. All columns, or these."""
        names = self._schema.names if columns is None else list(columns)
        if not len(numbers):
            return self._schema.empty_table().select(names)
        if _is_run(numbers):
            return pa.concat_tables(
                chunk.run(int(numbers[0]), int(numbers[-1])).select(names) for chunk in self._chunks
            )
        ends = np.array([numbers.min(), numbers.max()])
        first, last = np.searchsorted(self._firsts, ends, side="right").tolist()
        chunks = self._chunks[first - 1 : last]
        if len(chunks) > _FEW or any(chunk.has_gaps for chunk in chunks):
            return self._taken(numbers, names)
        pieces = {name: [chunk.piece(name) for chunk in chunks] for name in names}
        others = self._taken(numbers, [name for name in names if not are_plain(pieces[name])])
        found = {name: others[name] for name in others.column_names}
        firsts = [chunk.first for chunk in chunks]
        taken: list[Any] = [
            found[name] if name in found else gathered(firsts, pieces[name], numbers) for name in names
        ]
        return pa.table(taken, names=names)

    def release(self, numbers: Numbers) -> None:
        """Let rows go, each named once."""
        if not len(numbers):
            return
        where = self._where(numbers)
        for place in np.flatnonzero(np.bincount(where)):
            self._chunks[place].release(numbers[where == place])
        self._chunks = [
            chunk.compacted() if 2 * chunk.live < len(chunk.numbers) else chunk
            for chunk in self._chunks
            if chunk.live
        ]
        self._merge()

    def live(self) -> Numbers:
        """The numbers of the rows that are there, rising."""
        there = [
            chunk.numbers if chunk.gone is None else chunk.numbers[~chunk.gone] for chunk in self._chunks
        ]
        return np.concatenate(there) if there else np.empty(0, np.int64)

    def save(self) -> State:
        parts = {f"rows{chunk.first}": chunk.part() for chunk in self._chunks}
        gone = {chunk.first: chunk.gone for chunk in self._chunks if chunk.gone is not None}
        bits = [np.packbits(each).tobytes() for each in gone.values()]
        told = pa.table({_NUMBER: [self._next, *gone], _BITS: [b"", *bits]})
        if self._told is None or not told.equals(self._told):
            self._told = told
        return {**parts, _GONE: self._told}

    def restore(self, state: State) -> None:
        self._told = state[_GONE]
        (self._next, _), *gone = zip(*(column.to_pylist() for column in self._told.columns), strict=True)
        bits = dict(gone)
        tables = [table for name, table in state.items() if name.startswith("rows")]
        chunks = [_Chunk.of_part(table, bits) for table in tables]
        self._chunks = sorted(chunks, key=lambda chunk: chunk.first)
        self._index()

    def _merge(self) -> None:
        """Put neighbours together while the younger is not much smaller, so each row moves seldom."""
        merged: list[_Chunk] = []
        for chunk in self._chunks:
            merged.append(chunk)
            while len(merged) > 1 and _belong_together(merged[-2], merged[-1]):
                younger, older = merged.pop(), merged.pop()
                merged.append(_joined(older.compacted(), younger.compacted()))
        self._chunks = merged
        self._index()

    def _index(self) -> None:
        self._firsts = np.array([chunk.numbers[0] for chunk in self._chunks], np.int64)

    def _where(self, numbers: Numbers) -> Numbers:
        """The chunk of each row."""
        return np.searchsorted(self._firsts, numbers, side="right") - 1

    def _taken(self, numbers: Numbers, names: list[str]) -> pa.Table:
        """Columns of any kind."""
        if not names:
            return pa.table({})
        where = self._where(numbers)
        if (where == where[0]).all():
            chunk = self._chunks[where[0]]
            taken: pa.Table = chunk.rows.select(names).take(chunk.places(numbers))
            return taken
        if 4 * len(numbers) > sum(len(chunk.numbers) for chunk in self._chunks):
            return self._taken_from_all(numbers, where, names)
        return self._taken_by_chunk(numbers, where, names)

    def _taken_from_all(self, numbers: Numbers, where: Numbers, names: list[str]) -> pa.Table:
        offsets = np.cumsum([0, *(len(chunk.numbers) for chunk in self._chunks)])[:-1]
        places = np.empty(len(numbers), np.int64)
        for place, chunk in enumerate(self._chunks):
            mine = where == place
            places[mine] = chunk.places(numbers[mine]) + offsets[place]
        return pa.concat_tables([chunk.rows.select(names) for chunk in self._chunks]).take(places)

    def _taken_by_chunk(self, numbers: Numbers, where: Numbers, names: list[str]) -> pa.Table:
        order = np.argsort(where, kind="stable")
        used, starts = np.unique(where[order], return_index=True)
        shares = zip(used, np.split(order, starts[1:]), strict=True)
        parts = [
            self._chunks[place].rows.select(names).take(self._chunks[place].places(numbers[share]))
            for place, share in shares
        ]
        together = pa.concat_tables(parts).combine_chunks()
        if (order == np.arange(len(order))).all():
            return together
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return together.take(back)


def _is_run(numbers: Numbers) -> bool:
    """Whether each is one more than the one before."""
    return int(numbers[-1] - numbers[0]) == len(numbers) - 1 and bool((numbers[1:] > numbers[:-1]).all())


def _belong_together(older: _Chunk, younger: _Chunk) -> bool:
    return len(older.numbers) < LARGE and len(older.numbers) <= 2 * len(younger.numbers)


def _joined(older: _Chunk, younger: _Chunk) -> _Chunk:
    rows = pa.concat_tables([older.rows, younger.rows]).combine_chunks()
    return _Chunk(np.concatenate([older.numbers, younger.numbers]), rows)
