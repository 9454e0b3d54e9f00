"""The live tuples of each group, for aggregates that have to look at all of them again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.aggregates.events import Events
from windrow.aggregates.ingredients import Arrived
from windrow.aggregates.parts import Ending
from windrow.aggregates.tuples import Column, one_array
from windrow.buffers.keys import KeyCodes
from windrow.buffers.parts import State, under, within
from windrow.buffers.rows import RowStore
from windrow.delta import Signs
from windrow.kernels import members as kernels
from windrow.schema import Field, Schema

Ints = npt.NDArray[np.int64]

BLOCK = 1 << 20
"""About so many tuples are handed out at once."""
_SLOT, _GROUP = "__slot", "__group"


class Members:
    """A slot for each live tuple, and for each group the list of its slots in the order of their coming.

    A negative tuple has the slot of the oldest of the live tuples that are equal to it.
    """

    def __init__(self, columns: Schema, ending: Ending) -> None:
        self._grouped = Schema((Field(_GROUP, "BIGINT"), *columns))
        self._rows = RowStore(self._grouped.arrow.append(pa.field(_SLOT, pa.int64())))
        self._row_of = np.empty(0, np.int64)
        self._free = np.empty(0, np.int64)
        self._lists, self._links = _no_lists()
        self._equals = KeyCodes(self._grouped) if ending is Ending.TOLD else None
        """Where there are negative tuples: which tuples are equal."""
        self._equal_lists, self._equal_links = _no_lists()

    def arrive(self, arrived: Arrived) -> Ints:
        """Keep the tuples that come. The slot of each tuple."""
        names = self._grouped.names[1:]
        columns = [pa.array(arrived.groups), *arrived.rows.select(names).columns]
        rows = pa.table(columns, schema=self._grouped.arrow)
        entering = arrived.signs > 0
        fresh = self._take_slots(int(entering.sum()))
        slots = fresh if self._equals is None else self._match(self._equals, rows, arrived.signs, fresh)
        new = rows if entering.all() else rows.filter(pa.array(entering))
        first = self._rows.append(new.append_column(_SLOT, pa.array(fresh)))
        self._row_of[fresh] = np.arange(first, first + len(fresh))
        return slots

    def blocks(self, events: Events, slots: Ints) -> Iterator[tuple[Ints, pa.Table]]:
        """The tuples of each moment's group after it, in blocks that hold all of a moment's: the moment of
        each tuple, and the tuples. Of openings none. Tuples that depart are let go of when it is over."""
        self._lists = _grown(self._lists, events.capacity)
        last = np.full(len(events.moments), -1)
        asked = events.places >= 0
        last[events.places[asked]] = np.flatnonzero(asked)
        what = events.rows, events.signs, events.places, events.groups, slots, last, events.moments.openings
        event, room = 0, BLOCK
        while event < len(events.rows):
            at, members = np.empty((2, room), np.int64)
            event, count = kernels.note_members(*what, event, self._lists, self._links, at, members)
            if count:
                yield at[:count], self._rows.take(self._row_of[members[:count]])
            elif event < len(events.rows):
                room *= 2
        self._release(slots[events.rows[events.signs < 0]])

    def ends(self, events: Events, signs: Signs, slots: Ints, *, stay: bool) -> tuple[Column, Column]:
        """The first and the last tuple of each moment's group after it, of the first column. Tuples that
        depart are let go of when it is over, and of those that `stay` all but these two."""
        self._lists = _grown(self._lists, events.capacity)
        noted = np.empty((len(events.moments), 2), np.int64)
        opened = events.moments.groups[: events.moments.openings]
        noted[: len(opened)] = self._lists[opened, : kernels.SIZE]
        gone = np.empty(len(events.rows), np.int64)
        what = events.rows, signs, events.places, events.groups, slots
        count = kernels.note_ends(*what, stay, self._lists, self._links, gone, noted)
        found = self._at(noted[:, kernels.FIRST]), self._at(noted[:, kernels.LAST])
        self._release(np.concatenate([gone[:count], slots[events.rows[signs < 0]]]))
        return found

    def save(self) -> State:
        equals = {} if self._equals is None else self._equals.save()
        return {**under("rows", self._rows.save()), **under("equals", equals)}

    def restore(self, state: State) -> None:
        self._rows.restore(within("rows", state))
        numbers = self._rows.live()
        rows = self._rows.take(numbers)
        slots, groups = rows[_SLOT].to_numpy(), rows[_GROUP].to_numpy()
        self._make_slots(int(slots.max(initial=-1)) + 1)
        self._free = np.setdiff1d(self._free, slots)
        self._row_of[slots] = numbers
        self._lists = _grown(self._lists, int(groups.max(initial=-1)) + 1)
        kernels.link_all(groups, slots, self._lists, self._links)
        if self._equals is not None:
            self._equals.restore(within("equals", state))
            self._equal_lists = _grown(self._equal_lists, self._equals.capacity)
            codes = self._equals.find(rows)
            kernels.link_all(codes, slots, self._equal_lists, self._equal_links)

    def _at(self, slots: Ints) -> Column:
        """What tuples have in the first column; NULL where there is none."""
        there = slots >= 0
        rows = self._rows.take(self._row_of[slots[there]], [self._grouped.names[1]])
        places = pa.array(np.cumsum(there) - 1, mask=~there)
        found: Column = one_array(rows.column(0)).take(places)
        return found

    def _match(self, equals: KeyCodes, rows: pa.Table, signs: Signs, fresh: Ints) -> Ints:
        codes, slots = equals.codes(rows), np.empty(len(signs), np.int64)
        self._equal_lists = _grown(self._equal_lists, equals.capacity)
        kernels.match(codes, signs, fresh, self._equal_lists, self._equal_links, slots)
        touched = np.unique(codes[signs < 0])
        equals.release(touched[self._equal_lists[touched, kernels.SIZE] == 0])
        return slots

    def _take_slots(self, count: int) -> Ints:
        if count > len(self._free):
            self._make_slots(count - len(self._free))
        taken, self._free = self._free[:count], self._free[count:]
        return taken

    def _make_slots(self, count: int) -> None:
        """Have more slots, so many at least."""
        known = len(self._row_of)
        more = max(count, known)
        self._row_of = np.concatenate([self._row_of, np.full(more, -1)])
        self._links = np.concatenate([self._links, np.full((more, 2), -1)])
        self._equal_links = np.concatenate([self._equal_links, np.full((more, 2), -1)])
        self._free = np.concatenate([self._free, np.arange(known, known + more)])

    def _release(self, slots: Ints) -> None:
        self._rows.release(self._row_of[slots])
        self._free = np.concatenate([self._free, slots])


def _no_lists() -> tuple[Ints, Ints]:
    return np.empty((0, 3), np.int64), np.empty((0, 2), np.int64)


def _grown(lists: Ints, count: int) -> Ints:
    """So many lists at least, the new ones empty."""
    if count <= len(lists):
        return lists
    return np.concatenate([lists, np.tile(np.array([-1, -1, 0]), (count - len(lists), 1))])
