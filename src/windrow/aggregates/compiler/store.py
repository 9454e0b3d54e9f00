"""What the groups remember in one table, as arrays that generated code changes, and as rows that are saved.

A row is saved anew where it has changed, so what is saved follows what happened, however much there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregate_body import INWINDOW
from windrow.aggregates.compiler.columns import Ints, Rows, Words, packed, unpacked
from windrow.aggregates.compiler.prelude import (
    BEFORE,
    BEHIND,
    CHANGED,
    FIRST,
    FREE,
    GROUP,
    KEYS,
    LAST,
    NEXT,
    NO_KEY,
    NO_ROW,
    ORDINAL,
    SIZE,
    SPARE,
    USED,
)
from windrow.aggregates.compiler.tables import Table
from windrow.aggregates.user_defined.group_rows import GroupRows
from windrow.buffers.parts import State
from windrow.buffers.rows import RowStore

_FEW = 64


class Store:
    """One table of an aggregate, of all groups."""

    def __init__(self, table: Table, words: Words) -> None:
        self._table, self._words = table, words
        self.rows = Rows.empty(table.layout, 0)
        self.links = _no_links(0)
        self._heads = np.empty((0, 3), np.int64)
        self._meta = np.array([-1, 0, 0, 0, 0], np.int64)
        self._keys, self._same = np.empty((0, 4), np.int64), np.empty((0, 2), np.int64)
        self._schema = GroupRows(table.layout.schema.arrow).schema
        self._saved = RowStore(self._schema)
        self._numbers = np.empty(0, np.int64)
        """Of each slot the number of the row that is saved; -1: none."""
        if not table.is_single:
            self.grow_rows(_FEW)
        if self.is_searched:
            self.clear_index()

    @property
    def arrays(self) -> Iterator[npt.NDArray[Any]]:
        """What generated code is given."""
        yield from (self.rows.integers, self.rows.floats, self.rows.nulls, self.links)
        if not self._table.is_single:
            yield from (self._heads, self._meta)
        if self.is_searched:
            yield from (self._keys, self._same)

    @property
    def is_window(self) -> bool:
        return self._table.name == INWINDOW

    @property
    def is_searched(self) -> bool:
        return self._table.searched is not None

    def groups(self) -> Ints:
        """Those that have rows."""
        return np.flatnonzero(self._heads[:, FIRST] >= 0)

    def clear_index(self) -> None:
        """Forget where rows are found; there is room for those that the slots can hold."""
        self._meta[KEYS] = 0
        self._keys = np.full((4 << (len(self.links) - 1).bit_length(), 4), NO_KEY, np.int64)
        self._same = np.full((len(self.links), 2), NO_ROW, np.int64)

    @property
    def live(self) -> int:
        """How many rows there are."""
        if self._table.is_single:
            return int(np.count_nonzero(self.links[:, GROUP] >= 0))
        return int(self._meta[USED] - self._meta[SPARE])

    def grow_groups(self, capacity: int) -> None:
        """Have room for groups below this number."""
        if self._table.is_single:
            self.grow_rows(capacity)
        elif capacity > len(self._heads):
            more = np.tile(np.array([-1, -1, 0]), (capacity - len(self._heads), 1))
            self._heads = np.concatenate([self._heads, more])

    def grow_rows(self, count: int) -> None:
        """Have so many slots."""
        if count <= len(self.links):
            return
        self.rows.grow(count)
        self.links = np.concatenate([self.links, _no_links(count - len(self.links))])
        more = np.full(count - len(self._numbers), -1, np.int64)
        self._numbers = np.concatenate([self._numbers, more])

    def make_room(self, rows: int) -> None:
        """Have slots for so many more rows, and where they are searched a new index for what is there."""
        if self.live + rows > len(self.links):
            self.grow_rows(max(2 * len(self.links), self.live + rows))
        if self.is_searched:
            self.clear_index()

    def oldest(self, group: int) -> dict[str, Any]:
        """The first row of a group."""
        row = self.rows.take(self._heads[group, FIRST : FIRST + 1])
        columns = unpacked(row, self._table.layout, self._words)
        return {
            field.name: column[0].as_py()
            for field, column in zip(self._table.layout.schema, columns, strict=True)
        }

    def words_used(self) -> Ints:
        """The codes of strings that are in the table."""
        live = self.links[:, GROUP] >= 0
        columns = [self.rows.integers[live, place] for place in self._table.layout.strings]
        return np.unique(np.concatenate([np.empty(0, np.int64), *columns]))

    def save(self) -> State:
        changed = np.flatnonzero(self.links[:, CHANGED])
        before = self._numbers[changed]
        self._saved.release(before[before >= 0])
        self._numbers[changed] = -1
        there = changed[self.links[changed, GROUP] >= 0]
        if len(there):
            rows = unpacked(self.rows.take(there), self._table.layout, self._words)
            control = [pa.array(self.links[there, GROUP]), pa.array(self.links[there, ORDINAL])]
            first = self._saved.append(pa.table([*control, *rows], schema=self._schema))
            self._numbers[there] = first + np.arange(len(there))
        self.links[changed, CHANGED] = 0
        return self._saved.save()

    def restore(self, state: State) -> None:
        self._saved.restore(state)
        numbers = self._saved.live()
        saved = self._saved.take(numbers)
        groups, ordinals = saved.column(0).to_numpy(), saved.column(1).to_numpy()
        order = np.lexsort((numbers, ordinals, groups))
        rows = packed(
            saved.drop_columns(saved.column_names[:2]).take(order), self._table.layout, self._words
        )
        groups, ordinals, numbers = groups[order], ordinals[order], numbers[order]
        self.grow_groups(int(groups.max(initial=-1)) + 1)
        slots = groups if self._table.is_single else np.arange(len(groups))
        self.grow_rows(len(groups))
        self.rows.integers[slots], self.rows.floats[slots] = rows.integers, rows.floats
        self.rows.nulls[slots] = rows.nulls
        self.links[slots, GROUP], self.links[slots, ORDINAL] = groups, ordinals
        self._numbers[slots] = numbers
        if not self._table.is_single:
            self._link(groups, ordinals)

    def _link(self, groups: Ints, ordinals: Ints) -> None:
        """Make the lists of rows that lie group by group."""
        count = len(groups)
        begins = np.ones(count, np.bool_)
        begins[1:] = groups[1:] != groups[:-1]
        ends = np.roll(begins, -1)
        slots = np.arange(count)
        self.links[:count, BEFORE] = np.where(begins, -1, slots - 1)
        self.links[:count, BEHIND] = np.where(ends, -1, slots + 1)
        self._heads[groups[begins], FIRST] = slots[begins]
        self._heads[groups[ends], LAST] = slots[ends]
        self._heads[:, SIZE] = np.bincount(groups, minlength=len(self._heads))
        self._meta[[FREE, SPARE, USED, NEXT]] = [-1, 0, count, int(ordinals.max(initial=-1)) + 1]


def _no_links(count: int) -> Ints:
    """Slots that are free, and as they were saved: not at all."""
    return np.tile(np.array([-1, -1, -1, 0, 0]), (count, 1))
