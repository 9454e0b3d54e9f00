"""What a pipeline did and how long it took."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

WINDOW = 200
"""Delays are told of so many batches back."""


@dataclass(frozen=True, slots=True)
class StreamMetrics:
    """A stream's counts since it was created, and its clock."""

    name: str
    accepted: int
    late: int
    rejected: int
    clock: int | None


@dataclass(frozen=True, slots=True)
class Metrics:
    """A pipeline's figures at one moment; delays in seconds from arrival to sink."""

    tuples_in: int = 0
    tuples_out: int = 0
    batches: int = 0
    lag: int = 0
    delay_p50: float | None = None
    delay_p99: float | None = None
    last_batch: Mapping[str, float] = field(default_factory=dict)
    streams: tuple[StreamMetrics, ...] = ()


Delays = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]
"""Seconds, and how many tuples had each."""


def percentile(delays: list[Delays], share: float) -> float | None:
    """The delay that this share of all tuples did not exceed."""
    seconds = np.concatenate([each[0] for each in delays]) if delays else np.empty(0)
    if not len(seconds):
        return None
    weights = np.concatenate([each[1] for each in delays])
    order = np.argsort(seconds)
    reached = np.cumsum(weights[order]) >= share * weights.sum()
    return float(seconds[order][np.argmax(reached)])


class Meter:
    """Counts batches as they are done; read from any thread."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._delays: deque[Delays] = deque(maxlen=WINDOW)
        self.tuples_in = 0
        self.tuples_out = 0
        self.batches = 0
        self.last_batch: dict[str, float] = {}

    def batch_done(self, tuples_in: int, tuples_out: int, delays: Delays, phases: dict[str, float]) -> None:
        with self._guard:
            self.tuples_in += tuples_in
            self.tuples_out += tuples_out
            self.batches += 1
            self.last_batch = phases
            if len(delays[0]):
                self._delays.append(delays)

    def metrics(self, lag: int, streams: tuple[StreamMetrics, ...]) -> Metrics:
        with self._guard:
            told = list(self._delays)
            return Metrics(
                self.tuples_in,
                self.tuples_out,
                self.batches,
                lag,
                percentile(told, 0.5),
                percentile(told, 0.99),
                dict(self.last_batch),
                streams,
            )
