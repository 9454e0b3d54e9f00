"""A folder in which drivers run on one checkpoint, one after another, and their queries write Parquet."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds

from tests.faults.conftest import Family

DRIVER_ROWS = (0, 2000)
"""With the one, workers run all batches; with the other, the driver runs the small ones."""


class Scene:
    """`launch` starts a driver, told how many rows a batch may have that it runs itself."""

    def __init__(self, folder: Path, outputs: Collection[str], launch: Callable[[int], Family]) -> None:
        self.outputs = tuple(outputs)
        self._folder = folder
        self._launch = launch
        self._drivers = 0

    def driver(self) -> Family:
        rows = DRIVER_ROWS[self._drivers % len(DRIVER_ROWS)]
        self._drivers += 1
        return self._launch(rows)

    def finish(self, driver: Family) -> None:
        """Let the driver process all that has come, and end."""
        (self._folder / "finish").touch()
        assert driver.wait() == 0, driver.said
        driver.is_gone()
        assert self.half_written() == []

    def output(self, name: str) -> pa.Table:
        if not self.parts(name):
            return pa.table({})
        return ds.dataset(self._folder / name, format="parquet").to_table()

    def parts(self, *names: str) -> list[Path]:
        return [path for name in names or self.outputs for path in (self._folder / name).glob("part-*")]

    def half_written(self) -> list[Path]:
        return [path for name in self.outputs for path in (self._folder / name / ".windrow").glob("part-*")]
