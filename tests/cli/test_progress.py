"""The figures that follow a run."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from windrow.cli.progress import Rate, duration, figures, phases, progress_line
from windrow.runtime.metrics import Metrics


class HandMovedClock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_rate_is_that_of_the_last_moments() -> None:
    clock = HandMovedClock()
    rate = Rate(clock)
    assert rate.observe(0) == 0
    for second in range(1, 11):
        clock.seconds = second
        steady = rate.observe(1000 * second)
    assert steady == 1000
    for second in range(11, 21):
        clock.seconds = second
        idle = rate.observe(10_000)
    assert idle == 0


def test_a_rate_bridges_batches_that_are_seconds_apart() -> None:
    clock = HandMovedClock()
    rate = Rate(clock)
    rate.observe(0)
    clock.seconds = 10.0
    assert rate.observe(5000) == 500


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, "–"), (0.0004, "0 ms"), (0.25, "250 ms"), (3.21, "3.2 s")]
)
def test_a_delay_is_short_text(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_the_figures_fit_one_line() -> None:
    metrics = Metrics(
        tuples_in=1_234_567,
        tuples_out=89,
        batches=12,
        lag=3,
        lag_seconds=0.2,
        state_bytes=4_200_000,
        delay_p50=0.41,
        delay_p99=1.5,
    )
    assert figures(metrics, 45_000.4).plain.rstrip() == (
        "in 1,234,567   out 89   lag 3 (200 ms)   tuples/s 45,000   delay p50 410 ms   p99 1.5 s"
        "   batches 12   state 4.2 MB"
    )


def test_the_phases_of_the_last_batch_are_told_with_their_sum() -> None:
    metrics = Metrics(last_batch={"read": 0.25, "exchange": 1.0})
    assert phases(metrics).plain == "batch 1.2 s   read 250 ms   exchange 1.0 s"


def test_a_pipe_sees_no_progress() -> None:
    console = Console(file=io.StringIO())
    with progress_line(console) as show:
        show(Metrics())
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == ""
