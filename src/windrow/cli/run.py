"""`windrow run`: a script, until it is told to stop, has nothing left to do, or its time is over."""

from __future__ import annotations

import time

from rich.text import Text

from windrow.cli.arguments import script_text
from windrow.cli.console import err, out
from windrow.cli.following import follow, start
from windrow.cli.opening import Options, opened
from windrow.cli.outcomes import print_outcome, speaks
from windrow.cli.summary import print_summary


def run(script: str, options: Options, *, until_idle: bool, seconds: float | None, steps: bool) -> None:
    """Run a script; if anything was processed, the summary comes however the run ends."""
    statements = script_text(script)
    with opened(options) as db:
        db.check_script(statements)
        outcomes = db.execute(statements)
        for outcome in outcomes:
            print_outcome(out(), outcome)
        if not db.queries:
            err().print(Text("nothing to run: the script has no query", style="yellow"))
            return
        shown = [query for query in map(speaks, outcomes) if query]
        start(db)
        began = time.monotonic()
        try:
            follow(db, shown, until_idle=until_idle, seconds=seconds)
        finally:
            if db.metrics().batches:
                seconds = time.monotonic() - began
                print_summary(err(), db.metrics(), db.queries.values(), seconds, steps=steps)
