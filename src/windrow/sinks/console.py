"""A sink that prints: aligned tables on a terminal, plain CSV lines into a pipe or a file."""

from __future__ import annotations

import sys
from typing import TextIO

import pyarrow as pa
import pyarrow.types as pt
from rich.console import Console
from rich.table import Table
from rich.text import Text

from windrow.delta import Delta
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks import encoding
from windrow.sinks.base import Sink
from windrow.sinks.changelog import Changelog

ROWS = 20
_COLOURS = {"+I": "green", "+U": "green", "-U": "red", "-D": "red"}


class ConsoleSink(Sink):
    """`console:?rows=20`: on a terminal at most so many rows of a batch, and how many more there were.

    Into a pipe or a file all rows go, unless `rows` is given.
    """

    def __init__(
        self, rows: int | None = None, changelog: Changelog | None = None, file: TextIO | None = None
    ) -> None:
        self._rows = rows
        self._changelog = changelog or Changelog()
        self._file = file
        self._console: Console | None = None
        self._last_batch = -1
        self._headed = False

    def open(self, schema: Schema) -> None:
        self._console = Console(file=self._file, highlight=False)

    def write(self, batch: int, delta: Delta) -> None:
        if batch <= self._last_batch or self._console is None:
            return
        if len(delta):
            try:
                self._print(self._console, delta)
            except BrokenPipeError as failure:
                raise SinkError("nobody reads the output any more: the pipe is closed") from failure
        self._last_batch = batch

    def _print(self, console: Console, delta: Delta) -> None:
        on_terminal = console.is_terminal
        limit = self._rows if self._rows is not None else (ROWS if on_terminal else len(delta))
        shown = self._changelog.full(delta).slice(0, limit)
        out = self._file or sys.stdout  # whoever draws on the terminal too stands in for it
        if on_terminal:
            with console.capture() as drawn:
                console.print(_drawn(shown))
            out.write(drawn.get())
        else:
            out.write(encoding.csv(shown, header=not self._headed).to_pybytes().decode())
            self._headed = True
        if len(delta) > limit:
            with console.capture() as more:
                console.print(Text(f"… and {len(delta) - limit:,} more", style="dim"))
            out.write(more.get())
        out.flush()


def _drawn(changes: pa.Table) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for field in changes.schema:
        right = pt.is_integer(field.type) or pt.is_floating(field.type) or pt.is_decimal(field.type)
        table.add_column(
            Text(field.name), justify="right" if right else "left", no_wrap=True, overflow="ellipsis"
        )
    for row in zip(*(column.to_pylist() for column in changes.columns), strict=True):
        table.add_row(*map(_cell, row))
    return table


def _cell(value: object) -> Text:
    if value is None:
        return Text("NULL", style="dim")
    return Text(
        str(value).replace("\n", "⏎"), style=_COLOURS.get(value, "") if isinstance(value, str) else ""
    )
