"""The lines that say how it goes, and the rate in them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich import filesize
from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

if TYPE_CHECKING:
    from windrow.runtime.metrics import Metrics

_WINDOW = 3.0
"""The seconds over which a rate is taken: long enough to hold a few micro-batches."""


class Rate:
    """Tuples a second over the last moments."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._seen: deque[tuple[float, int]] = deque()

    def observe(self, tuples: int) -> float:
        now = self._now()
        self._seen.append((now, tuples))
        while len(self._seen) > 2 and now - self._seen[1][0] >= _WINDOW:
            self._seen.popleft()
        then, before = self._seen[0]
        return 0.0 if now <= then else (tuples - before) / (now - then)


def duration(seconds: float | None) -> str:
    """A delay in few characters."""
    if seconds is None:
        return "–"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def figures(metrics: Metrics, rate: float) -> Text:
    """How it goes, in one line."""
    parts = [
        ("in", f"{metrics.tuples_in:,}"),
        ("out", f"{metrics.tuples_out:,}"),
        ("lag", f"{metrics.lag:,} ({duration(metrics.lag_seconds)})" if metrics.lag else "0"),
        ("tuples/s", f"{rate:,.0f}"),
        ("delay p50", duration(metrics.delay_p50)),
        ("p99", duration(metrics.delay_p99)),
        ("batches", f"{metrics.batches:,}"),
        ("state", filesize.decimal(metrics.state_bytes)),
    ]
    return _line(parts)


def phases(metrics: Metrics) -> Text:
    """Where the time of the last batch went."""
    last = metrics.last_batch
    return _line(
        (name, duration(seconds)) for name, seconds in [("batch", sum(last.values())), *last.items()]
    )


def _line(parts: Iterable[tuple[str, str]]) -> Text:
    text = Text(no_wrap=True, overflow="ellipsis")
    for name, value in parts:
        text.append("   " if text else "").append(f"{name} ", "dim").append(value, "bold")
    return text


def _unseen(_metrics: Metrics) -> None: ...


@contextmanager
def progress_line(console: Console) -> Iterator[Callable[[Metrics], None]]:
    """Lines at the bottom of the terminal that follow the metrics; nothing where there is no terminal."""
    if not console.is_terminal:
        yield _unseen
        return
    rate = Rate()
    begin = Spinner("dots", Text("starting …"))
    ours = not console.stderr
    with Live(begin, console=console, transient=True, redirect_stdout=ours, refresh_per_second=8) as live:

        def show(metrics: Metrics) -> None:
            lines = figures(metrics, rate.observe(metrics.tuples_in)), phases(metrics)
            live.update(Group(*lines), refresh=True)

        yield show
