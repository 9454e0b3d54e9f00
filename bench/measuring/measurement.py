"""What a benchmark yields: contenders' times, taken in turns in one run, and bounds on their ratios."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Contender = Callable[[], float | None]
"""One repetition: gives the seconds that it took itself, or None to be timed from call to return."""


@dataclass(frozen=True, slots=True)
class Run:
    """The repetitions of one contender."""

    name: str
    work: int
    """What one repetition gets through, in the measurement's unit."""
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def rate(self) -> float:
        """Units a second."""
        return self.work / self.median


@dataclass(frozen=True, slots=True)
class Bound:
    """A figure and what it has to be: the ratio `of` one contender `to` another, or one's own."""

    of: str
    to: str | None = None
    by: Literal["throughput", "time"] = "throughput"
    at_least: float | None = None
    at_most: float | None = None

    def values(self, runs: Mapping[str, Run]) -> tuple[float, ...]:
        """The figure in each round."""
        of = [self._figure(runs[self.of], seconds) for seconds in runs[self.of].seconds]
        if self.to is None:
            return tuple(of)
        to = [self._figure(runs[self.to], seconds) for seconds in runs[self.to].seconds]
        return tuple(one / other for one, other in zip(of, to, strict=True))

    def _figure(self, run: Run, seconds: float) -> float:
        return seconds if self.by == "time" else run.work / seconds

    def met(self, value: float) -> bool:
        return (self.at_least is None or value >= self.at_least) and (
            self.at_most is None or value <= self.at_most
        )

    @property
    def target(self) -> str:
        """In words, for instance `at least 0.7`; empty if the figure is only stated."""
        limits = (("at least", self.at_least), ("at most", self.at_most))
        return " and ".join(f"{word} {limit:,g}" for word, limit in limits if limit is not None)


@dataclass(frozen=True, slots=True)
class Measurement:
    """One table of a benchmark."""

    title: str
    unit: str
    runs: tuple[Run, ...]
    bounds: tuple[Bound, ...]
    remark: str = ""

    def value(self, bound: Bound) -> float:
        """The median of the rounds' figures: what is slow for a while is slow for all of a round."""
        return statistics.median(bound.values({run.name: run for run in self.runs}))

    @property
    def missed(self) -> tuple[Bound, ...]:
        return tuple(bound for bound in self.bounds if not bound.met(self.value(bound)))


@dataclass(frozen=True, slots=True)
class Scale:
    """How large a benchmark is to be: in full, or so small that it only shows signs of life."""

    quick: bool = False

    def size(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    @property
    def rounds(self) -> int:
        return 2 if self.quick else 7


def measure(
    title: str,
    contenders: Mapping[str, Contender],
    *,
    work: int | Mapping[str, int],
    rounds: int,
    unit: str = "tuples",
    bounds: Sequence[Bound] = (),
    remark: str = "",
) -> Measurement:
    """Let the contenders run in turns, each once to warm up and then once a round.

    Every other round goes backwards, so that nobody is always the one after somebody.
    """
    works = work if isinstance(work, Mapping) else dict.fromkeys(contenders, work)
    for contender in contenders.values():
        contender()
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds):
        names = list(contenders)
        for name in names if number % 2 == 0 else reversed(names):
            seconds[name].append(_timed(contenders[name]))
    runs = tuple(Run(name, works[name], tuple(taken)) for name, taken in seconds.items())
    return Measurement(title, unit, runs, tuple(bounds), remark)


def _timed(contender: Contender) -> float:
    gc.collect()
    started = time.perf_counter()
    own = contender()
    return time.perf_counter() - started if own is None else own
