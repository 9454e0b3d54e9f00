"""What a pipeline did and how long it took."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from windrow.plan.effort import Delays as AnswerDelays
from windrow.plan.effort import Tallies, Tally
from windrow.runtime.execution import Effort
from windrow.runtime.phases import EXCHANGE, PHASES

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
class Lag:
    """How far processing is behind what has arrived: tuples, and the seconds that the oldest has waited."""

    tuples: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Metrics:
    """A pipeline's figures at one moment; delays in seconds from arrival to sink."""

    tuples_in: int = 0
    tuples_out: int = 0
    batches: int = 0
    lag: int = 0
    """Tuples that have arrived and are not processed."""
    lag_seconds: float = 0.0
    """For how long the oldest of them has waited."""
    state_bytes: int = 0
    """What the steps of all queries keep."""
    delay_p50: float | None = None
    delay_p99: float | None = None
    last_batch: Mapping[str, float] = field(default_factory=dict)
    """Its seconds by phase."""
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


def seconds_by_phase(efforts: Iterable[Effort], ran: float, *, side_by_side: bool) -> dict[str, float]:
    """What a batch that ran so long spent its time with: each phase, and each step of the plan.

    Of places that work side by side the slowest counts. When nobody worked, tuples were on their way from
    stage to stage, or waited for Spark: the exchange.
    """
    phases: dict[tuple[int, str], dict[int, float]] = {}
    steps: dict[tuple[int, str], dict[int, float]] = {}
    for each in efforts:
        seconds = {step: tally.seconds for step, tally in each.tallies.items()}
        for told, sums in ((each.phases, phases), (seconds, steps)):
            for name, value in told.items():
                place = sums.setdefault((each.stage, name), {})
                place[each.place] = place.get(each.place, 0.0) + value
    of_places = max if side_by_side else sum
    took = dict.fromkeys(PHASES, 0.0)
    for (_, phase), places in phases.items():
        took[phase] += of_places(places.values())
    took[EXCHANGE] += max(0.0, ran - sum(took.values()))
    in_order = sorted(steps, key=lambda each: _order(*each))
    return took | {f"{stage}.{step}": of_places(steps[stage, step].values()) for stage, step in in_order}


class QueryMeter:
    """What one query's steps have done, and how late its answer was."""

    def __init__(self) -> None:
        self._tallies: dict[tuple[int, str], Tally] = {}
        self._kept: dict[tuple[int, str], dict[int, tuple[int, int]]] = {}
        """Rows and bytes of a step's state, by place."""
        self._samples: deque[Delays] = deque(maxlen=WINDOW)
        self._delayed = AnswerDelays()
        self.phases: dict[str, float] = {}
        """Seconds of the last batch, by phase and step."""

    def add(self, stage: int, place: int, tallies: Tallies) -> None:
        """What the steps of a stage did in one place in one batch."""
        for step, tally in tallies.items():
            self._tallies.setdefault((stage, step), Tally()).add(tally)
            self._kept.setdefault((stage, step), {})[place] = tally.rows, tally.bytes

    def add_delays(self, delays: AnswerDelays) -> None:
        """Those of one batch's changes in one place."""
        if not delays.count:
            return
        known = self._delayed
        most = max(known.most, delays.most)
        self._delayed = AnswerDelays(known.count + delays.count, known.total + delays.total, most)
        each = max(1, delays.count // len(delays.sample))
        self._samples.append(
            (np.array(delays.sample) / 1e6, np.full(len(delays.sample), each, np.int64)),
        )

    def forget_delays(self) -> None:
        self._samples.clear()
        self._delayed = AnswerDelays()

    def steps(self) -> list[dict[str, Any]]:
        """Each step with its figures, in the order in which tuples pass them."""
        told = []
        for (stage, step), tally in sorted(self._tallies.items(), key=lambda each: _order(*each[0])):
            rows, bytes_ = np.sum(list(self._kept[stage, step].values()), axis=0).tolist()
            figures = {**asdict(tally), "rows": rows, "bytes": bytes_}
            told.append({"step": f"{stage}.{step}", **figures})
        return told

    @property
    def state(self) -> dict[str, int]:
        """What all steps keep."""
        kept = [each for places in self._kept.values() for each in places.values()]
        return {"rows": sum(rows for rows, _ in kept), "bytes": sum(bytes_ for _, bytes_ in kept)}

    def delay(self) -> dict[str, float] | None:
        """Seconds of the streams' time from when something happened until the answer showed it."""
        known, samples = self._delayed, list(self._samples)
        p50, p99 = percentile(samples, 0.5), percentile(samples, 0.99)
        if p50 is None or p99 is None:
            return None
        mean = known.total / known.count / 1e6
        return {"mean": mean, "p50": p50, "p99": p99, "max": known.most / 1e6}


def _order(stage: int, step: str) -> tuple[int, int]:
    return stage, int(step.partition(".")[0])


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

    def forget_delays(self) -> None:
        with self._guard:
            self._delays.clear()

    def metrics(self, lag: Lag, state_bytes: int, streams: tuple[StreamMetrics, ...]) -> Metrics:
        with self._guard:
            told = list(self._delays)
            return Metrics(
                self.tuples_in,
                self.tuples_out,
                self.batches,
                lag.tuples,
                lag.seconds,
                state_bytes,
                percentile(told, 0.5),
                percentile(told, 0.99),
                dict(self.last_batch),
                streams,
            )
