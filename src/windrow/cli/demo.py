"""`windrow demo`: a shipped script runs for a while, and its answers change on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rich.text import Text

from windrow.cli.console import err, out
from windrow.cli.demo_screen import PlainScreen, Screen, TerminalScreen
from windrow.cli.opening import Options, opened, working
from windrow.cli.signals import heeded
from windrow.cli.summary import print_summary

if TYPE_CHECKING:
    from windrow.database import Database
    from windrow.runtime.metrics import Metrics

_STEP = 0.2
_PATIENCE = 120.0
"""Seconds that the first batch may take; on Spark, workers start in it and load their kernels."""
_CATCHING_UP = 10.0
"""Seconds that it may take to work off what comes in meanwhile."""
_PROMPT = 1.0
"""Seconds of delay: where it is more, a batch still is of what piled up."""

_NEXT = """
Try next:
  windrow {other}   another stream
  windrow sql            queries of your own; \\help lists the commands
  windrow run FILE.esl   a script of your own, such as the one that you just saw:
                         {script}
"""


def demo(scene: str, seconds: float, options: Options) -> None:
    """Show a scene for so long from its first answer on, and say at the end what to try next."""
    where = f"Spark {options.master}" if options.runner == "spark" else options.runner
    out().print(Text(f"windrow demo: {scene} on {where}", style="bold"), soft_wrap=True)
    with opened(options) as db:
        db.execute(script_of(scene))
        with heeded() as heed:
            _await_answers(db, options, heed)
        _show(db, seconds)
    other = "packets" if scene != "packets" else "rfid"
    out().print(Text(_NEXT.format(other=f"demo {other}".ljust(12), script=_path(scene))), soft_wrap=True)


def script_of(scene: str) -> str:
    """The statements of a scene."""
    return (files("windrow.cli") / "demos" / f"{scene}.esl").read_text(encoding="utf-8")


def _path(scene: str) -> str:
    return str(files("windrow.cli") / "demos" / f"{scene}.esl")


def _await_answers(db: Database, options: Options, heed: Callable[[], None]) -> None:
    """Run until the first tuples have gone through, and those that came while it started."""
    deadline = time.monotonic() + _PATIENCE
    if options.runner == "spark":
        with _stage("starting Spark"):
            db.run(seconds=0, progress=lambda _metrics: heed())
            heed()
    with _stage("the first tuples flow, and workers start"):
        while db.metrics().tuples_in == 0 and time.monotonic() < deadline:
            db.run(seconds=_STEP, progress=lambda _metrics: heed())
            heed()
    if options.runner == "spark":
        with _stage("what came in meanwhile is worked off; delays are of what comes after it"):
            _catch_up(db, heed)


def _catch_up(db: Database, heed: Callable[[], None]) -> None:
    """Run until a batch is of nothing that had to wait for Spark."""
    deadline, delay = time.monotonic() + _CATCHING_UP, float("inf")
    while delay > _PROMPT and time.monotonic() < deadline:
        db.forget_delays()
        while (found := db.metrics().delay_p99) is None and time.monotonic() < deadline:
            db.run(seconds=_STEP, progress=lambda _metrics: heed())
            heed()
        delay = delay if found is None else found
    db.forget_delays()


def _stage(what: str) -> AbstractContextManager[Any]:
    """Say what happens now: with a spinner on a terminal, with a line elsewhere."""
    if not err().is_terminal:
        out().print(f"{what} …")
    return working(what)


def _show(db: Database, seconds: float) -> None:
    """The screen, and whatever ends it, the summary."""
    start, before = time.monotonic(), db.metrics().tuples_in
    try:
        with _screen(db, seconds) as screen, heeded() as heed:

            def on_progress(metrics: Metrics) -> None:
                heed()
                screen.show(metrics)

            db.run(seconds=seconds, progress=on_progress)
    finally:
        print_summary(out(), db.metrics(), db.queries.values(), time.monotonic() - start, before=before)


def _screen(db: Database, seconds: float) -> Screen:
    queries = list(db.queries.values())
    if out().is_terminal:
        return TerminalScreen(out(), queries, seconds)
    return PlainScreen(out(), queries)
