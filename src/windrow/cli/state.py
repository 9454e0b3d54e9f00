"""`windrow state`: what the steps of a checkpoint's queries keep, as the last batches left it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from windrow.cli.console import out
from windrow.cli.render import print_table
from windrow.errors import CheckpointError
from windrow.runtime.checkpoint import run_of, unusable
from windrow.runtime.state import FileState

_END = "__end"
"""The column in which rows say when they end, of steps that have to know."""


@dataclass(slots=True)
class _Kept:
    """What a step keeps in one bucket."""

    rows: int = 0
    bytes: int = 0
    first: int | None = None
    last: int | None = None

    def add(self, path: Path) -> None:
        try:
            with pa.memory_map(str(path)) as file, pa.ipc.open_file(file) as reader:
                table = reader.read_all()
        except (OSError, pa.ArrowInvalid) as error:
            raise unusable(path) from error
        self.rows += table.num_rows
        self.bytes += path.stat().st_size
        if _END in table.column_names and table.num_rows:
            span: Any = pc.min_max(table[_END]).as_py()
            self.first = span["min"] if self.first is None else min(self.first, span["min"])
            self.last = span["max"] if self.last is None else max(self.last, span["max"])


def state(checkpoint: str) -> None:
    folder = Path(checkpoint)
    if not (folder / "format").is_file():
        raise CheckpointError(
            f"{checkpoint} is no checkpoint", hint="name the folder given to --checkpoint"
        )
    print_table(out(), state_table(folder), count=False)


def state_table(checkpoint: Path) -> pa.Table:
    """A row for each step and bucket; rows that are gone and not yet cleared away count."""
    kept: defaultdict[tuple[str, str, int], _Kept] = defaultdict(_Kept)
    for key, name, path in _parts(checkpoint / "state"):
        query, _, rest = key.partition("/")
        stage, _, bucket = rest.partition("/")
        step = f"{stage}.{name.partition('/')[0]}"
        name_of = unquote(query.partition("+")[0].rpartition("-")[0])
        kept[name_of, step, int(bucket)].add(path)
    places = sorted(kept)
    found = [kept[place] for place in places]
    return pa.table(
        {
            "query": pa.array([query for query, _, _ in places], pa.string()),
            "step": pa.array([step for _, step, _ in places], pa.string()),
            "bucket": pa.array([bucket for _, _, bucket in places], pa.int64()),
            "rows": pa.array([each.rows for each in found], pa.int64()),
            "bytes": pa.array([each.bytes for each in found], pa.int64()),
            "first ends": pa.array([each.first for each in found], pa.timestamp("us")),
            "last ends": pa.array([each.last for each in found], pa.timestamp("us")),
        }
    )


def _parts(root: Path) -> Iterator[tuple[str, str, Path]]:
    """Query, stage and bucket, the name of a part, and its file."""
    run = run_of(root.parent)
    for directory in sorted(root.glob("*/*/*")):
        for name, path in FileState(directory, run).files().items():
            yield str(directory.relative_to(root)), name, path
