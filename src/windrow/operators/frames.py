"""When the frames of OVER are known, and which tuples give a result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np

from windrow.aggregates.ledger import Ledger
from windrow.aggregates.newest import EachAlone, Newest
from windrow.aggregates.parts import Ending
from windrow.aggregates.population import Expiring, Growing, Population
from windrow.aggregates.tuples import Ints, Mask
from windrow.buffers.expiring import ExpiringRows
from windrow.buffers.fifo import Fifo
from windrow.buffers.parts import State
from windrow.buffers.saved_array import SavedArray
from windrow.delta import Delta, Instants, concat
from windrow.kernels import yields
from windrow.operators.time_window import later, slot
from windrow.plan.grouping import Frame
from windrow.plan.windows import Extent
from windrow.schema import Schema


class Pacing(ABC):
    """What a kind of frame makes of the tuples that come."""

    @abstractmethod
    def population(self, ledger: Ledger) -> Population:
        """What knows the tuples of the frames, as they end for the ledger."""

    @abstractmethod
    def known(self, delta: Delta) -> Delta:
        """The tuples whose frames are known by now, in time order, up to the instant that is over."""

    @abstractmethod
    def chosen(self, known: Delta, groups: Ints, capacity: int) -> tuple[Delta, Ints, Mask]:
        """Of these tuples, of these groups, those that are in any frame that gives a result, their groups,
        and which of them give it."""

    @abstractmethod
    def told(self, ts: Instants) -> Instants:
        """When tuples of these instants give their results."""

    @abstractmethod
    def save(self) -> State: ...

    @abstractmethod
    def restore(self, state: State) -> None: ...


class TimeFrame(Pacing):
    """So much time, and the peers of the tuple. Slots end at multiples of the slide."""

    def __init__(self, frame: Frame, schema: Schema) -> None:
        self._length, self._slot = frame.preceding, frame.slide or 1
        self._gives_all = frame.slide is None
        self._waiting = ExpiringRows(Delta.empty(0, schema.arrow).to_table().schema, Fifo())
        """Tuples whose slot may get others."""

    def population(self, ledger: Ledger) -> Population:
        return Growing(ledger) if ledger.ending is Ending.NEVER else Expiring(ledger)

    def known(self, delta: Delta) -> Delta:
        over = (delta.clock - 1) // self._slot * self._slot
        ends = self.told(delta.ts)
        count = int(np.searchsorted(ends, over, side="right"))
        known = Delta(over, delta.rows.slice(0, count), delta.ts[:count])
        if len(self._waiting):
            waited, _ = self._waiting.expire_until(over)
            known = concat([Delta.from_table(over, waited), known])
        if count < len(delta):
            rest = Delta(delta.clock, delta.rows.slice(count), delta.ts[count:])
            self._waiting.insert(rest.to_table(), ends[count:])
        return known if self._length is None else replace(known, exp=later(known.ts, self._length + 1))

    def chosen(self, known: Delta, groups: Ints, capacity: int) -> tuple[Delta, Ints, Mask]:
        if self._gives_all:
            return known, groups, np.ones(len(known), np.bool_)
        later_slots = np.empty(capacity, np.int64)
        return known, groups, yields.last_of_slots(groups, self.told(known.ts), later_slots)

    def told(self, ts: Instants) -> Instants:
        return ts if self._gives_all else slot(ts, self._slot)

    def save(self) -> State:
        return self._waiting.save()

    def restore(self, state: State) -> None:
        self._waiting.restore(state)


class CountFrame(Pacing):
    """So many tuples and the tuple itself. Slots are of so many tuples of a group."""

    def __init__(self, frame: Frame) -> None:
        self._size = None if frame.preceding is None else frame.preceding + 1
        self._slide = frame.slide or 1
        self._phases = np.zeros(0, np.int64)
        self._saved = SavedArray()

    def population(self, ledger: Ledger) -> Population:
        if self._size is None or ledger.ending is Ending.NEVER:
            return EachAlone(ledger)
        return Newest(ledger, self._size)

    def known(self, delta: Delta) -> Delta:
        return delta

    def chosen(self, known: Delta, groups: Ints, capacity: int) -> tuple[Delta, Ints, Mask]:
        if self._slide == 1:
            return known, groups, np.ones(len(known), np.bool_)
        if capacity > len(self._phases):
            more = np.zeros(capacity - len(self._phases), np.int64)
            self._phases = np.concatenate([self._phases, more])
        places = yields.count_off(groups, self._slide, self._phases)
        asked = places == self._slide
        if self._size is None or self._size >= self._slide:
            return known, groups, asked
        seen = places > self._slide - self._size
        return known.take(seen), groups[seen], asked[seen]

    def told(self, ts: Instants) -> Instants:
        return ts

    def save(self) -> State:
        return self._saved.save(self._phases)

    def restore(self, state: State) -> None:
        self._phases = self._saved.restore(state)


def pacing_of(frame: Frame, schema: Schema) -> Pacing:
    """How a frame goes over tuples of a schema."""
    return TimeFrame(frame, schema) if frame.extent is Extent.TIME else CountFrame(frame)
