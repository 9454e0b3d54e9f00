"""Running queries in the foreground: their changes as they come, a line below that says how it goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from windrow.cli.changes import ChangeLog
from windrow.cli.console import err, out, status
from windrow.cli.opening import working
from windrow.cli.progress import progress_line
from windrow.cli.signals import heeded

if TYPE_CHECKING:
    from windrow.database import Database, Query
    from windrow.runtime.metrics import Metrics


def start(db: Database) -> None:
    """Start what runs the queries: the seconds that Spark takes are not theirs."""
    with working("starting"), heeded():
        db.run(seconds=0)


def follow(
    db: Database, shown: Sequence[Query], *, until_idle: bool = False, seconds: float | None = None
) -> None:
    """Run the database and print what these queries emit, until it ends or is interrupted."""
    log = ChangeLog(out())

    def print_changes() -> None:
        for line in db.notices():
            err().print(Text(line, style="yellow"), soft_wrap=True)
        for query in shown:
            log.show(query.name, query.changes(), titled=len(shown) > 1)

    try:
        with progress_line(status()) as show, heeded() as heed:

            def on_progress(metrics: Metrics) -> None:
                heed()
                print_changes()
                show(metrics)

            db.run(seconds=seconds, until_idle=until_idle, progress=on_progress)
    finally:
        print_changes()
