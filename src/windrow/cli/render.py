"""Arrow tables as text: columns aligned, NULL dim, nothing wrapped, nothing wider than the terminal.

Values are written as DuckDB writes them (one cast a table), so a timestamp is ISO text and a FLOAT
has the digits that it has. Control characters are escaped: what is in a stream cannot move the
cursor of whoever looks at it.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import duckdb
import pyarrow as pa
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

NULL = "NULL"
MOST_ROWS = 1000
"""So many rows of an answer are printed on a terminal."""
_SEPARATOR = 3
_NARROWEST = 6
_ESCAPES = {code: repr(chr(code))[1:-1] for code in (*range(32), *range(127, 160), 0x2028, 0x2029)}

Cells = Sequence[str | None]


def cells(table: pa.Table) -> list[Cells]:
    """The columns of a table as text; None where NULL."""
    if not table.num_columns:
        return []
    numbered = table.rename_columns([f"c{i}" for i in range(table.num_columns)])
    texts = _connection().from_arrow(numbered).project("CAST(COLUMNS(*) AS VARCHAR)").to_arrow_table()
    return [[_printable(value) for value in column.to_pylist()] for column in texts.columns]


@functools.cache
def _connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


def _printable(value: str | None) -> str | None:
    return value if value is None or value.isprintable() else value.translate(_ESCAPES)


@dataclass(frozen=True, slots=True)
class Grid:
    """Which columns are shown and how wide, so that rows printed later stand under the same header."""

    names: tuple[str, ...]
    widths: tuple[int, ...]
    right: tuple[bool, ...]
    hidden: tuple[str, ...]
    """Columns for which the terminal has no room."""
    cut: bool
    """Whether what is too wide is cut; in a file or a pipe nothing is."""

    @classmethod
    def fitting(
        cls, schema: pa.Schema, columns: Sequence[Cells], width: int | None, *, after: Grid | None = None
    ) -> Grid:
        """The grid for these rows on a terminal of that width; None: as wide as it takes.

        It makes no column narrower than it was in the grid `after` which it comes.
        """
        names = [_printable(name) or "" for name in schema.names]
        right = [_is_number(field.type) for field in schema]
        wanted = [_widest(name, column) for name, column in zip(names, columns, strict=True)]
        if after is not None:
            wanted[: len(after.widths)] = map(max, wanted, after.widths)
        whole = [_stays_whole(field.type) for field in schema]
        widths = wanted if width is None else fit(wanted, whole, width)
        shown = len(widths)
        return cls(
            tuple(names[:shown]),
            tuple(widths),
            tuple(right[:shown]),
            tuple(names[shown:]),
            width is not None,
        )

    def holds(self, columns: Sequence[Cells]) -> bool:
        """Whether these rows fit without cutting anything."""
        pairs = zip(self.names, columns, self.widths, strict=False)
        return all(_widest(name, column) <= width for name, column, width in pairs)

    def header(self) -> Text:
        columns = zip(self.names, self.widths, self.right, strict=True)
        titles = [_placed(name, width, at_right, self.cut) for name, width, at_right in columns]
        line = " │ ".join(titles).rstrip()
        rule = "─┼─".join("─" * width for width in self.widths)
        return Text(f"{line}\n{rule}", style="bold", no_wrap=True)

    def lines(self, columns: Sequence[Cells]) -> Iterator[str]:
        """The rows as plain text."""
        return (" │ ".join(row).rstrip() for row in zip(*self._placed(columns), strict=True))

    def styled(self, columns: Sequence[Cells]) -> Text:
        """The rows with what is NULL in dim."""
        text = Text(no_wrap=True)
        nulls = zip(*columns[: len(self.widths)], strict=True)
        for row, values in zip(zip(*self._placed(columns), strict=True), nulls, strict=True):
            for number, (cell, value) in enumerate(zip(row, values, strict=True)):
                text.append(" │ " if number else "\n" if text else "", "dim")
                text.append(cell, "dim" if value is None else None)
        return text

    def _placed(self, columns: Sequence[Cells]) -> list[list[str]]:
        return [
            [_placed(NULL if value is None else value, width, at_right, self.cut) for value in column]
            for column, width, at_right in zip(columns, self.widths, self.right, strict=False)
        ]


def fit(wanted: Sequence[int], whole: Sequence[bool], width: int) -> list[int]:
    """Widths that fit together: text gives way before what must stay whole; then the last columns go."""
    for shown in range(len(wanted), 0, -1):
        room = width - _SEPARATOR * (shown - 1)
        limit = _limit(wanted[:shown], whole[:shown], room)
        if limit is not None:
            pairs = zip(wanted[:shown], whole[:shown], strict=True)
            return [size if fixed else min(size, limit) for size, fixed in pairs]
    return [max(1, width)] if wanted else []


def _limit(wanted: Sequence[int], whole: Sequence[bool], room: int) -> int | None:
    """The largest width that the columns that can be cut may have within the room."""
    room -= sum(size for size, fixed in zip(wanted, whole, strict=True) if fixed)
    flexible = [size for size, fixed in zip(wanted, whole, strict=True) if not fixed]
    largest = max(flexible, default=0)
    floor = min(largest, _NARROWEST)
    for limit in range(largest, floor - 1, -1):
        if sum(min(size, limit) for size in flexible) <= room:
            return limit
    return None


def _is_number(type_: pa.DataType) -> bool:
    return pa.types.is_integer(type_) or pa.types.is_floating(type_) or pa.types.is_decimal(type_)


def _stays_whole(type_: pa.DataType) -> bool:
    """Whether a part of a value says something wrong: of a number, of an instant."""
    return _is_number(type_) or pa.types.is_temporal(type_) or pa.types.is_boolean(type_)


def _length(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _widest(name: str, column: Cells) -> int:
    return max(_length(name), max((len(NULL) if v is None else _length(v) for v in column), default=0))


def _placed(text: str, width: int, at_right: bool, cut: bool) -> str:
    size = _length(text)
    if cut and size > width:
        return set_cell_size(text, width - 1) + "…"
    padding = " " * (width - size)
    return padding + text if at_right else text + padding


def counted(number: int, noun: str) -> str:
    """A count in words: 1 row, 2,000 rows."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def footer(rows: int, shown: int, hidden: Sequence[str]) -> Text:
    """What a table ends with: the number of rows, and what of it is not on the screen."""
    parts = [counted(rows, "row")]
    if shown < rows:
        parts.append(f"the first {shown:,} shown")
    if hidden:
        parts.append(f"no room for {', '.join(hidden)}")
    return Text("; ".join(parts), style="dim", no_wrap=True, overflow="ellipsis")


def width_of(console: Console) -> int | None:
    """How wide a table may be there: as wide as the terminal; any width in a file or a pipe."""
    return console.width if console.is_terminal else None


def print_table(console: Console, table: pa.Table, *, count: bool = True) -> None:
    """All of a table into a file or a pipe; on a terminal what someone might read."""
    shown = table.slice(0, MOST_ROWS) if console.is_terminal else table
    columns = cells(shown)
    grid = Grid.fitting(table.schema, columns, width_of(console))
    last = footer(table.num_rows, shown.num_rows, grid.hidden)
    if not console.is_terminal:
        lines = "".join(f"{line}\n" for line in grid.lines(columns))
        console.file.write(f"{grid.header().plain}\n{lines}" + (f"{last.plain}\n" if count else ""))
        return
    body = [grid.styled(columns)] if shown.num_rows else []
    for part in (grid.header(), *body, *([last] if count or grid.hidden else [])):
        console.print(part, no_wrap=True, overflow="ellipsis")
