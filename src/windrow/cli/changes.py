"""The changes of queries as they come: one table a query that grows downwards."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from rich.console import Console
from rich.text import Text

from windrow.cli.render import Cells, Grid, cells, counted, width_of


class ChangeLog:
    """Prints what queries emit. On a terminal never more at once than it can show."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._grids: dict[str, Grid] = {}
        self._on_top: str | None = None

    def show(self, name: str, changes: pa.Table, *, titled: bool = False) -> None:
        """The next changes of a query; `titled` where several queries write to one console."""
        if not changes.num_rows:
            return
        skipped = self._too_many(changes.num_rows)
        columns = cells(changes.slice(skipped))
        grid = self._grids.get(name)
        fits = grid is not None and (not grid.cut or grid.holds(columns))
        if grid is None or not fits:
            grid = self._grids[name] = Grid.fitting(
                changes.schema, columns, width_of(self._console), after=grid
            )
        if not fits or self._on_top != name:
            self._begin(name, grid, titled)
        self._print(columns, grid, skipped)

    def _begin(self, name: str, grid: Grid, titled: bool) -> None:
        if titled:
            self._console.print(Text(f"\n{name}", style="bold cyan"), soft_wrap=True)
        self._console.print(grid.header(), soft_wrap=True)
        self._on_top = name

    def _print(self, columns: Sequence[Cells], grid: Grid, skipped: int) -> None:
        if not self._console.is_terminal:
            self._console.file.write("".join(f"{line}\n" for line in grid.lines(columns)))
            return
        if skipped:
            self._console.print(Text(f"… {counted(skipped, 'change')} not shown", style="dim"))
        self._console.print(grid.styled(columns), soft_wrap=True)

    def _too_many(self, rows: int) -> int:
        return max(0, rows - (self._console.height - 4)) if self._console.is_terminal else 0
