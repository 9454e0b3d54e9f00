"""Operator state, a version for each batch.

Batch n reads what the newest batch before it wrote, and writes its own version: a manifest that names
the file of each part, with a checksum. A part that has not changed keeps its file, so a version costs
what changed. Files are renamed into place, the manifest last; so a batch that is run again, or twice at
once, finds and leaves the same.

A process that ran the batch before still has its operators, and goes on with them.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from windrow.buffers.parts import State
from windrow.runtime.checkpoint import read_json, unusable, write_atomically, write_json

if TYPE_CHECKING:
    from windrow.plan.running import RunningStage

KEPT = 3
"""So many versions stay: the newest may belong to a batch that has to be run again."""

NOTHING = -1
"""The version of a state that no batch has written."""


class StateStore(ABC):
    """The versions of the state of one stage of one query in one bucket."""

    @abstractmethod
    def newest(self, before: int) -> int:
        """The newest batch before this one that left a state; NOTHING if none did."""

    @abstractmethod
    def load(self, version: int) -> State:
        """The state that a batch left."""

    @abstractmethod
    def save(self, batch: int, state: State) -> None:
        """Keep what a batch left."""


class MemoryState(StateStore):
    """State that ends with the process. A batch whose results a sink refused is run again."""

    def __init__(self) -> None:
        self._versions: dict[int, State] = {}

    def newest(self, before: int) -> int:
        return max((version for version in self._versions if version < before), default=NOTHING)

    def load(self, version: int) -> State:
        return self._versions[version]

    def save(self, batch: int, state: State) -> None:
        self._versions[batch] = state
        for old in sorted(self._versions)[:-KEPT]:
            del self._versions[old]


@dataclass(frozen=True, slots=True)
class PartFile:
    """Where a part lies, and the checksum of its bytes."""

    file: str
    crc: int


class FileState(StateStore):
    """State under a checkpoint: `N.json` names the parts of version N, each a file `N-PLACE.arrow`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._written: dict[str, tuple[pa.Table, PartFile]] = {}
        """The parts of the version last loaded or saved here, and their files."""

    def newest(self, before: int) -> int:
        return max((version for version in self._versions() if version < before), default=NOTHING)

    def files(self) -> dict[str, Path]:
        """The files of the newest version, by the names of their parts."""
        newest = max(self._versions(), default=NOTHING)
        parts = {} if newest == NOTHING else self._files(newest)
        return {name: self._directory / part.file for name, part in parts.items()}

    def load(self, version: int) -> State:
        files = self._files(version)
        self._written = {name: (_read(self._directory, part), part) for name, part in files.items()}
        return {name: table for name, (table, _) in self._written.items()}

    def save(self, batch: int, state: State) -> None:
        written = {
            name: (table, self._file_of(name, table) or self._write(f"{batch}-{place}.arrow", table))
            for place, (name, table) in enumerate(state.items())
        }
        write_json(self._manifest(batch), {name: asdict(part) for name, (_, part) in written.items()})
        self._written = written
        self._remove_old()

    def _file_of(self, name: str, table: pa.Table) -> PartFile | None:
        known, part = self._written.get(name, (None, None))
        return part if known is table else None

    def _write(self, file: str, table: pa.Table) -> PartFile:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        content = sink.getvalue()
        write_atomically(self._directory / file, content)
        return PartFile(file, zlib.crc32(content))

    def _remove_old(self) -> None:
        versions = sorted(self._versions())
        old, kept = versions[:-KEPT], versions[-KEPT:]
        if not old:
            return
        for version in old:
            self._manifest(version).unlink(missing_ok=True)
        used = {part.file for version in kept for part in self._files(version).values()}
        for path in self._directory.glob("*.arrow"):
            if path.name not in used and int(path.stem.partition("-")[0]) < kept[-1]:
                path.unlink(missing_ok=True)

    def _files(self, version: int) -> dict[str, PartFile]:
        path = self._manifest(version)
        try:
            return {name: PartFile(**part) for name, part in read_json(path).items()}
        except (AttributeError, TypeError) as error:
            raise unusable(path) from error

    def _manifest(self, version: int) -> Path:
        return self._directory / f"{version}.json"

    def _versions(self) -> list[int]:
        return [int(path.stem) for path in self._directory.glob("*.json") if path.stem.isdigit()]


class Place:
    """Where a stage of a query runs on one bucket, with its operators as the last batch left them."""

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._running: RunningStage | None = None
        self._version = NOTHING

    @contextmanager
    def at(self, batch: int, start: Callable[[], RunningStage]) -> Iterator[RunningStage]:
        """The operators as they have to be for a batch; their state is saved when the block is done."""
        version = self._store.newest(before=batch)
        running, self._running = self._running, None  # one that fails is not gone on with
        if running is None or self._version != version:
            running = start()
            if version != NOTHING:
                running.restore(self._store.load(version))
        yield running
        self._store.save(batch, running.save())
        self._running, self._version = running, batch


class Places:
    """The places that one process has served, by a key of query, stage and bucket."""

    def __init__(self, store: Callable[[str], StateStore]) -> None:
        self._store = store
        self._places: dict[str, Place] = {}

    def place(self, query: str, stage: int, bucket: int) -> Place:
        key = f"{query}/{stage}/{bucket}"
        if key not in self._places:
            self._places[key] = Place(self._store(key))
        return self._places[key]

    def forget_others(self, queries: Collection[str]) -> None:
        """Free the operators of all queries but these."""
        kept = {key: place for key, place in self._places.items() if key.partition("/")[0] in queries}
        self._places = kept


def _read(directory: Path, part: PartFile) -> pa.Table:
    """A part, mapped into memory."""
    path = directory / part.file
    try:
        with pa.memory_map(str(path)) as file:
            content = file.read_buffer()
            if zlib.crc32(content) != part.crc:
                raise unusable(path)
            with pa.ipc.open_file(content) as reader:
                return reader.read_all()
    except FileNotFoundError as error:
        raise unusable(path, "is missing") from error
    except (OSError, pa.ArrowInvalid) as error:
        raise unusable(path) from error
