"""What a demo shows while it runs: tables that change on a terminal, a line now and then elsewhere.

Of a query that only ever adds, the newest rows; of one whose answer changes, the answer as it stands.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

import pyarrow as pa
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from windrow.cli.progress import Rate, figures
from windrow.cli.render import Grid, cells, counted
from windrow.plan.patterns import Pattern

if TYPE_CHECKING:
    from windrow.database import Query
    from windrow.runtime.metrics import Metrics

_CHROME = 3
"""Lines of the screen that are no table: figures, the bar, and an empty one."""
_PER_TABLE = 4
"""Lines that a table needs beside its rows: title, header, rule, and an empty one."""
_PLAIN_SECONDS = 2.0


@dataclass(slots=True)
class Shown(ABC):
    """Some rows of a query, and how many there were."""

    query: Query
    keep: int
    rows: pa.Table | None = None
    total: int = 0

    @abstractmethod
    def take(self) -> None:
        """Look at what the query has given since the last call."""

    @property
    @abstractmethod
    def count(self) -> str:
        """What `total` says."""

    def drawn(self, width: int) -> RenderableType:
        """The rows under the query's name."""
        title = Text.assemble((self.query.name.replace("_", " "), "bold cyan"), (f"  {self.count}", "dim"))
        if self.rows is None:
            return title
        columns = cells(self.rows)
        grid = Grid.fitting(self.rows.schema, columns, width)
        body = [grid.header(), grid.styled(columns)] if self.rows.num_rows else [grid.header()]
        return Group(title, *body, *[Text()] * (self.keep - self.rows.num_rows + 1))


class Newest(Shown):
    """The last rows that a query gave that only adds, newest first; op and ts say nothing more."""

    def take(self) -> None:
        changes = self.query.changes()
        self.total += changes.num_rows
        last = range(changes.num_rows - 1, max(-1, changes.num_rows - 1 - self.keep), -1)
        fresh = changes.drop_columns(changes.column_names[:2]).take(pa.array(last, pa.int64()))
        known = [fresh] if self.rows is None else [fresh, self.rows]
        self.rows = pa.concat_tables(known).slice(0, self.keep)

    @property
    def count(self) -> str:
        return counted(self.total, "row")


class Current(Shown):
    """The first rows of an answer that changes."""

    def take(self) -> None:
        self.total += self.query.changes().num_rows
        self.rows = self.query.answer().slice(0, self.keep)

    @property
    def count(self) -> str:
        return counted(self.total, "change")


def shown(query: Query, keep: int) -> Shown:
    """What to show of a query."""
    return (Newest if query.plan.pattern is Pattern.MON else Current)(query, keep)


class Screen(ABC):
    """Follows the queries of a demo; to be entered before the first `show`."""

    @abstractmethod
    def show(self, metrics: Metrics) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the last state on the screen."""


class TerminalScreen(Screen):
    """Tables of the newest answers, figures below them, and how much time is left."""

    def __init__(self, console: Console, queries: Sequence[Query], seconds: float) -> None:
        self._console = console
        self._seconds = seconds
        self._start = time.monotonic()
        self._rate = Rate()
        keep = max(1, (console.height - _CHROME) // max(1, len(queries)) - _PER_TABLE)
        self._shown = [shown(query, min(keep, 8)) for query in queries]
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="crop")

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def show(self, metrics: Metrics) -> None:
        for each in self._shown:
            each.take()
        width = self._console.width
        tables = [each.drawn(width) for each in self._shown]
        line = figures(metrics, self._rate.observe(metrics.tuples_in))
        self._live.update(Group(*tables, line, self._bar(width)), refresh=True)

    def _bar(self, width: int) -> Text:
        gone = min(self._seconds, time.monotonic() - self._start)
        size = max(10, min(40, width - 40))
        done = round(size * gone / self._seconds)
        return Text.assemble(
            ("━" * done, "green"),
            ("━" * (size - done), "dim"),
            (f"  {gone:.0f} of {self._seconds:.0f} s   Ctrl-C ends", "dim"),
            no_wrap=True,
        )


class PlainScreen(Screen):
    """A line every other second: the figures, and what the queries have given."""

    def __init__(
        self, console: Console, queries: Sequence[Query], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._console = console
        self._shown = [shown(query, 1) for query in queries]
        self._rate = Rate()
        self._now = now
        self._start = now()
        self._next = self._start + _PLAIN_SECONDS

    def show(self, metrics: Metrics) -> None:
        rate = self._rate.observe(metrics.tuples_in)
        if self._now() < self._next:
            return
        self._next += _PLAIN_SECONDS
        for each in self._shown:
            each.take()
        given = ", ".join(f"{each.query.name} {each.total:,}" for each in self._shown)
        line = f"{self._now() - self._start:4.0f} s   {figures(metrics, rate).plain.rstrip()}   {given}"
        self._console.file.write(f"{line}\n")
        self._console.file.flush()
