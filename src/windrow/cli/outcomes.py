"""What a statement came to, on a console."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from windrow.cli.render import print_table

if TYPE_CHECKING:
    from windrow.database import Query
    from windrow.session import Outcome


def print_outcome(console: Console, outcome: Outcome) -> None:
    """The message or the table of a statement; a bare SELECT speaks for itself later."""
    if outcome.table is not None:
        print_table(console, outcome.table)
    elif outcome.message is not None:
        console.print(Text(outcome.message), soft_wrap=True)


def speaks(outcome: Outcome) -> Query | None:
    """The query of a bare SELECT, whose results go to whoever asked."""
    return outcome.query if outcome.message is None else None
