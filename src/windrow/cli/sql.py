"""`windrow sql`: statements from the command line, a file or a pipe; without any of them, the shell."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from windrow.cli.arguments import script_text
from windrow.cli.console import interactive, out
from windrow.cli.following import follow, start
from windrow.cli.opening import Options, opened
from windrow.cli.outcomes import print_outcome, speaks
from windrow.cli.render import print_table

if TYPE_CHECKING:
    from windrow.database import Database


def sql(script: str | None, statements: str | None, options: Options, *, seconds: float | None) -> None:
    text = script_text(script) if script is not None else statements
    if text is None and interactive():
        from windrow.cli.shell import Shell

        with opened(options) as db:
            Shell(db).talk()
        return
    text = sys.stdin.read() if text is None else text
    with opened(options) as db:
        answer(db, text, seconds=seconds)


def answer(db: Database, statements: str, *, seconds: float | None = None) -> None:
    """Run statements, and print what each of them comes to, in their order.

    What has arrived by then is processed before the first answer is printed; with `seconds`, what
    arrives in that time.
    """
    outcomes = db.execute(statements)
    if any(outcome.query is not None for outcome in outcomes):
        start(db)
        follow(db, (), until_idle=seconds is None, seconds=seconds)
    for outcome in outcomes:
        print_outcome(out(), outcome)
        if query := speaks(outcome):
            print_table(out(), query.answer())
