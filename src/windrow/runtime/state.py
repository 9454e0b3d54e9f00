"""Operator state, a version for each batch.

Batch n reads what the newest batch before it wrote, and writes its own version under a temporary name
that is then renamed; so a batch that is run again, or twice at once, finds and leaves the same.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from windrow.runtime.checkpoint import write_atomically

KEPT = 3
"""So many versions stay: the newest may belong to a batch that has to be run again."""

State = Mapping[str, pa.Table]


class StateStore(ABC):
    """The states of one stage of one query in one bucket."""

    @abstractmethod
    def load(self, before: int) -> State:
        """The states that the newest batch before this one left."""

    @abstractmethod
    def save(self, batch: int, states: State) -> None:
        """Keep what a batch left."""


class MemoryState(StateStore):
    """State that ends with the process. A batch whose results a sink refused is run again."""

    def __init__(self) -> None:
        self._versions: dict[int, State] = {}

    def load(self, before: int) -> State:
        versions = [version for version in self._versions if version < before]
        return self._versions[max(versions)] if versions else {}

    def save(self, batch: int, states: State) -> None:
        self._versions[batch] = states
        for old in sorted(self._versions)[:-KEPT]:
            del self._versions[old]


class FileState(StateStore):
    """State under a checkpoint."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def load(self, before: int) -> State:
        versions = [version for version in self._versions() if version < before]
        if not versions:
            return {}
        folder = self._directory / str(versions[-1])
        return {path.stem: _read(path) for path in sorted(folder.glob("*.arrow"))}

    def save(self, batch: int, states: State) -> None:
        folder = self._directory / str(batch)
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in states.items():
            sink = pa.BufferOutputStream()
            with pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
            write_atomically(folder / f"{name}.arrow", sink.getvalue())
        for old in self._versions()[:-KEPT]:
            shutil.rmtree(self._directory / str(old), ignore_errors=True)

    def _versions(self) -> list[int]:
        if not self._directory.exists():
            return []
        return sorted(int(path.name) for path in self._directory.iterdir() if path.name.isdigit())


def _read(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as file, pa.ipc.open_file(file) as reader:
        return reader.read_all()
