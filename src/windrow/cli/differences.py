"""What an ASSERT expected and what came, as two tables whose columns stand below each other.

A row that did not come has a `-` before it, one that nobody expected a `+`. Of long tables the rows
that differ are shown, and a line says how many between them do not.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from windrow.cli.render import Cells, Grid, cells, counted
from windrow.comparison import Difference, Side

_MOST_EQUAL = 20
"""A table with more rows than these is shown without those that are as they should be."""
_MOST_SHOWN = 200
_LACKING, _SURPLUS = ("-", "red"), ("+", "green")


def drawn(difference: Difference) -> Text:
    """Both tables, with the rows marked that the other lacks."""
    sides = (difference.expected, difference.actual)
    columns = [cells(side.rows) for side in sides]
    grid = None
    for side, table in zip(sides, columns, strict=True):
        grid = Grid.fitting(side.rows.schema, table, None, after=grid)
    assert grid is not None
    text = Text()
    titles = (("expected", *_LACKING), ("came", *_SURPLUS))
    for (title, mark, style), side, table in zip(titles, sides, columns, strict=True):
        text.append(f"\n{title}\n", "bold")
        text.append_text(_table(side, table, grid, mark, style))
    return text


def _table(side: Side, columns: list[Cells], grid: Grid, mark: str, style: str) -> Text:
    if not side.rows.num_rows:
        return Text("  nothing\n", "dim")
    text = Text()
    for line in grid.header().plain.splitlines():
        text.append(f"  {line}\n", "bold")
    lines = list(grid.lines(columns))
    for place, skipped in _shown(side):
        if skipped:
            text.append(f"  … {counted(skipped, 'row')} not shown\n", "dim")
        elif side.alone[place]:
            text.append(f"{mark} {lines[place]}\n", style)
        else:
            text.append(f"  {lines[place]}\n")
    return text


def _shown(side: Side) -> Iterator[tuple[int, int]]:
    """The places of rows to show; (place, n) where n rows from there are left out."""
    whole = len(side.alone) <= _MOST_EQUAL
    shown = skipped = 0
    for place, alone in enumerate(side.alone):
        if (alone or whole) and shown < _MOST_SHOWN:
            if skipped:
                yield place - skipped, skipped
            yield place, 0
            shown, skipped = shown + 1, 0
        else:
            skipped += 1
    if skipped:
        yield len(side.alone) - skipped, skipped
