"""What a demo shows while it runs: tables that change on a terminal, a line now and then elsewhere."""

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

if TYPE_CHECKING:
    from windrow.database import Query
    from windrow.runtime.metrics import Metrics

_CHROME = 3
"""Lines of the screen that are no table: figures, the bar, and an empty one."""
_PER_TABLE = 4
"""Lines that a table needs beside its rows: title, header, rule, and an empty one."""
_PLAIN_SECONDS = 2.0


@dataclass(slots=True)
class Newest:
    """The last rows that a query gave, newest first, and how many it gave in all."""

    query: Query
    keep: int
    rows: pa.Table | None = None
    total: int = 0

    def take(self) -> None:
        changes = self.query.changes()
        self.total += changes.num_rows
        fresh = changes.slice(max(0, changes.num_rows - self.keep))
        if self.rows is not None:
            fresh = pa.concat_tables([self.rows, fresh])
        self.rows = fresh.slice(max(0, fresh.num_rows - self.keep))

    def drawn(self, width: int) -> RenderableType:
        """The rows under the query's name; op and ts of a query that only adds say nothing more."""
        title = Text.assemble(
            (self.query.name.replace("_", " "), "bold cyan"), (f"  {counted(self.total, 'row')}", "dim")
        )
        if self.rows is None:
            return title
        newest = self.rows.drop_columns(self.rows.column_names[:2])
        newest = newest.take(pa.array(range(newest.num_rows - 1, -1, -1), pa.int64()))
        columns = cells(newest)
        grid = Grid.fitting(newest.schema, columns, width)
        body = [grid.header(), grid.styled(columns)] if newest.num_rows else [grid.header()]
        return Group(title, *body, *[Text()] * (self.keep - newest.num_rows + 1))


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
        self._newest = [Newest(query, min(keep, 8)) for query in queries]
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="crop")

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def show(self, metrics: Metrics) -> None:
        for newest in self._newest:
            newest.take()
        width = self._console.width
        tables = [newest.drawn(width) for newest in self._newest]
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
        self._newest = [Newest(query, 1) for query in queries]
        self._rate = Rate()
        self._now = now
        self._start = now()
        self._next = self._start + _PLAIN_SECONDS

    def show(self, metrics: Metrics) -> None:
        rate = self._rate.observe(metrics.tuples_in)
        if self._now() < self._next:
            return
        self._next += _PLAIN_SECONDS
        for newest in self._newest:
            newest.take()
        given = ", ".join(f"{newest.query.name} {newest.total:,}" for newest in self._newest)
        line = f"{self._now() - self._start:4.0f} s   {figures(metrics, rate).plain.rstrip()}   {given}"
        self._console.file.write(f"{line}\n")
        self._console.file.flush()
