"""`windrow demo`: a shipped script runs for a while, and its answers change on the screen."""

from __future__ import annotations

import time
from importlib.resources import files
from typing import TYPE_CHECKING

from rich.text import Text

from windrow.cli.console import out
from windrow.cli.demo_screen import PlainScreen, Screen, TerminalScreen
from windrow.cli.opening import Options, opened, working
from windrow.cli.summary import print_summary

if TYPE_CHECKING:
    from windrow.database import Database

_STEP = 0.2
_PATIENCE = 120.0
"""Seconds that the first batch may take; on Spark, workers start in it and load their kernels."""

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
        with working("starting Spark" if options.runner == "spark" else "starting"):
            _await_answers(db)
        start = time.monotonic()
        try:
            with _screen(db, seconds) as screen:
                db.run(seconds=seconds, progress=screen.show)
        finally:
            print_summary(out(), db.metrics(), db.queries.values(), time.monotonic() - start)
    other = "packets" if scene != "packets" else "rfid"
    out().print(Text(_NEXT.format(other=f"demo {other}".ljust(12), script=_path(scene))), soft_wrap=True)


def script_of(scene: str) -> str:
    return (files("windrow.cli") / "demos" / f"{scene}.esl").read_text(encoding="utf-8")


def _path(scene: str) -> str:
    return str(files("windrow.cli") / "demos" / f"{scene}.esl")


def _await_answers(db: Database) -> None:
    """Run until the first tuples have gone through."""
    deadline = time.monotonic() + _PATIENCE
    while db.metrics().tuples_in == 0 and time.monotonic() < deadline:
        db.run(seconds=_STEP)


def _screen(db: Database, seconds: float) -> Screen:
    queries = list(db.queries.values())
    if out().is_terminal:
        return TerminalScreen(out(), queries, seconds)
    return PlainScreen(out(), queries)
