"""What the steps of a query did: what they gave, looked at and keep, and how late the answer was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from windrow.buffers.parts import State
from windrow.delta import BEGINNING, NEVER, Delta, Instants

SAMPLE = 256
"""Of so many delays each is told; of more, so many that stand for all."""


@dataclass(slots=True)
class Tally:
    """What one step has done."""

    positive: int = 0
    """Tuples given that enter."""
    negative: int = 0
    """Tuples given that take others back."""
    messages: int = 0
    """Messages given that only tell the time."""
    probes: int | None = None
    """Pairs and entries looked at; None where the step cannot say."""
    rows: int = 0
    """Rows of its state, as it was last saved."""
    bytes: int = 0
    seconds: float = 0.0
    """What it took."""

    def give(self, delta: Delta) -> None:
        """Count what is given."""
        negative = 0 if delta.sign is None else int(np.count_nonzero(delta.sign < 0))
        self.positive += len(delta) - negative
        self.negative += negative

    def probe(self, count: int | None) -> None:
        if count is not None:
            self.probes = (self.probes or 0) + count

    def keep(self, state: State) -> None:
        """Measure a state; it is counted once."""
        self.rows = sum(table.num_rows for table in state.values())
        self.bytes = sum(table.nbytes for table in state.values())

    def add(self, other: Tally) -> None:
        """Add what another did, and keeps."""
        self.positive += other.positive
        self.negative += other.negative
        self.messages += other.messages
        self.probe(other.probes)
        self.rows += other.rows
        self.bytes += other.bytes
        self.seconds += other.seconds


@dataclass(frozen=True, slots=True)
class Delays:
    """How long after its instant each change of an answer showed, in microseconds of the streams' time."""

    count: int = 0
    total: int = 0
    most: int = 0
    sample: tuple[int, ...] = field(default=())

    @classmethod
    def of(cls, delays: npt.NDArray[np.int64]) -> Self:
        """`delays` sorted, either way; a sample of many goes by their order."""
        if not len(delays):
            return cls()
        sample = delays[_spread(len(delays))]
        return cls(len(delays), int(delays.sum()), int(sample.max()), tuple(sample.tolist()))

    @classmethod
    def until(cls, delta: Delta) -> Self:
        """Of changes that show at their delta's clock; at the end of all time nobody waits for them."""
        ts = delta.ts[np.searchsorted(delta.ts, BEGINNING, side="right") :]
        if delta.clock == NEVER or not len(ts):
            return cls()
        sample = delta.clock - ts[_spread(len(ts))]
        total = (len(ts) * delta.clock - int(ts.sum())) % 2**64
        """Sums of instants may be too long for 64 bits, of delays they are not."""
        return cls(len(ts), total, int(sample[0]), tuple(sample.tolist()))


def _spread(count: int) -> npt.NDArray[np.int64]:
    """Places that stand for so many."""
    return np.linspace(0, count - 1, min(count, SAMPLE)).astype(np.int64)


def delays(shown: int | Instants, ts: Instants) -> Instants:
    """How long after its instant each change showed; for rows that were always there nobody waited."""
    late: Instants = (shown - np.where(ts == BEGINNING, shown, ts))[ts != BEGINNING]
    return late


Tallies = Mapping[str, Tally]
"""By the ids of the steps."""


def as_plain(tallies: Tallies) -> dict[str, list[Any]]:
    """For JSON."""
    return {id_: [getattr(tally, name) for name in Tally.__slots__] for id_, tally in tallies.items()}


def from_plain(plain: Mapping[str, list[Any]]) -> dict[str, Tally]:
    return {id_: Tally(*values) for id_, values in plain.items()}
