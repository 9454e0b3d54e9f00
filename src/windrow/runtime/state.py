"""Operator state, a version for each batch.

Batch n reads what the batch before it wrote, and writes its own version: a manifest that names the file of
each part, with a checksum. A part that has not changed keeps its file, so a version costs what changed.
Files are renamed into place, the manifest last, and named by what is in them; so a batch that is run again,
or twice at once, finds and leaves the same.

A process that ran the batch before still has its operators, and goes on with them.
"""

from __future__ import annotations

import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from windrow.buffers.parts import State
from windrow.errors import CheckpointError, StateLost
from windrow.runtime.checkpoint import read_json, run_of, unusable, write_atomically, write_json

if TYPE_CHECKING:
    from windrow.plan.running import RunningStage

KEPT = 3
"""So many versions stay: the newest may belong to a batch that has to be run again, and a task of the one
before may still be at work that nobody waits for."""

LOADED = 512 << 20
"""A process that keeps more than so many bytes of saved state in memory lets go of it, and maps it anew."""

NOTHING = -1
"""The version of a state that no batch has written."""


class StateStore(ABC):
    """The versions of the state of one stage of one query in one bucket."""

    @abstractmethod
    def load(self, version: int) -> State:
        """The state that a batch left."""

    @abstractmethod
    def save(self, batch: int, state: State) -> None:
        """Keep what a batch left."""

    loaded = 0
    """Bytes of memory that the state last saved takes, and need not."""

    def let_go(self) -> None:
        """Give back this memory."""


class MemoryState(StateStore):
    """State that ends with the process. A batch whose results a sink refused is run again."""

    def __init__(self) -> None:
        self._versions: dict[int, State] = {}

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
    """State under a checkpoint: `N.json` names the run and the parts of version N, each in a file
    `N-PLACE-CHECKSUM.arrow`."""

    def __init__(self, directory: Path, run: str) -> None:
        self._directory = directory
        self._run = run
        self._written: dict[str, tuple[pa.Table, PartFile]] = {}
        """The parts of the version last loaded or saved here, and their files."""
        self._mapped: frozenset[str] = frozenset()
        """Those of these files that parts are mapped from."""

    def let_go(self) -> None:
        self._written, self.loaded = {}, 0

    def files(self) -> dict[str, Path]:
        """The files of the newest version, by the names of their parts."""
        newest = max(self._versions(), default=NOTHING)
        parts = {} if newest == NOTHING else self._files(newest)
        return {name: self._directory / part.file for name, part in parts.items()}

    def load(self, version: int) -> State:
        files = self._files(version)
        self._written = {name: (_read(self._directory, part), part) for name, part in files.items()}
        self._mapped, self.loaded = frozenset(part.file for part in files.values()), 0
        return {name: table for name, (table, _) in self._written.items()}

    def save(self, batch: int, state: State) -> None:
        written = {
            name: (table, self._file_of(name, table) or self._write(f"{batch}-{place}", table))
            for place, (name, table) in enumerate(state.items())
        }
        parts = {name: asdict(part) for name, (_, part) in written.items()}
        told = {"run": self._run, "batch": batch, "parts": parts}
        write_json(self._manifest(batch), {**told, "crc": _checksum(told)})
        self._written = written
        in_memory = (table for table, part in written.values() if part.file not in self._mapped)
        self.loaded = sum(table.nbytes for table in in_memory)
        self._remove_old()

    def _file_of(self, name: str, table: pa.Table) -> PartFile | None:
        known, part = self._written.get(name, (None, None))
        return part if known is table else None

    def _write(self, name: str, table: pa.Table) -> PartFile:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        content = sink.getvalue()
        crc = zlib.crc32(content)
        file = f"{name}-{crc:08x}.arrow"
        write_atomically(self._directory / file, content)
        return PartFile(file, crc)

    def _remove_old(self) -> None:
        versions = sorted(self._versions())
        old, kept = versions[:-KEPT], versions[-KEPT:]
        if not old:
            return
        for version in old:
            self._manifest(version).unlink(missing_ok=True)
        try:
            used = {part.file for version in kept for part in self._files(version).values()}
        except CheckpointError:
            return  # until nobody asks any more for the version that is damaged
        for path in self._directory.glob("*.arrow"):
            # Another attempt at a version that stays may be about to name its files.
            if path.name not in used and int(path.stem.partition("-")[0]) < kept[0]:
                path.unlink(missing_ok=True)

    def _files(self, version: int) -> dict[str, PartFile]:
        path = self._manifest(version)
        told = read_json(path)
        try:
            if told.pop("crc") != _checksum(told):
                raise unusable(path)
            if (told["run"], told["batch"]) != (self._run, version):
                raise unusable(path, "is of another run")
            return {name: PartFile(**part) for name, part in told["parts"].items()}
        except (AttributeError, KeyError, TypeError) as error:
            raise unusable(path) from error

    def _manifest(self, version: int) -> Path:
        return self._directory / f"{version}.json"

    def _versions(self) -> list[int]:
        return [int(path.stem) for path in self._directory.glob("*.json") if path.stem.isdigit()]


class Place:
    """Where a stage of a query runs on one bucket, with its operators as the last batch left them."""

    def __init__(self, key: str, store: StateStore) -> None:
        self._key = key
        self._store = store
        self._running: RunningStage | None = None
        self._version = NOTHING

    @contextmanager
    def at(
        self, batch: int, start: Callable[[], RunningStage], after: int = NOTHING
    ) -> Iterator[RunningStage]:
        """The operators as they have to be for a batch that goes on from a version, or from NOTHING; their
        state is saved when the block is done."""
        running, self._running = self._running, None  # one that fails is not gone on with
        if running is None or self._version != after:
            running = start()
            if after != NOTHING:
                running.restore(self._load(after))
        yield running
        self._store.save(batch, running.save())
        self._running, self._version = running, batch

    @property
    def loaded(self) -> int:
        return self._store.loaded

    def let_go(self) -> None:
        """Forget the operators, whose state is saved."""
        self._running = None
        self._store.let_go()

    def _load(self, version: int) -> State:
        try:
            return self._store.load(version)
        except CheckpointError as error:
            raise StateLost(f"state/{self._key}/{error.message}", self._key.partition("/")[0]) from error


class Places:
    """The places that one process has served, by a key of query, stage and bucket."""

    def __init__(self, store: Callable[[str], StateStore]) -> None:
        self._store = store
        self._places: dict[str, Place] = {}

    @classmethod
    def under(cls, checkpoint: Path) -> Places:
        """Those whose state lies under a checkpoint."""
        run = run_of(checkpoint)
        return cls(lambda key: FileState(checkpoint / "state" / key, run))

    def place(self, query: str, stage: int, bucket: int) -> Place:
        key = f"{query}/{stage}/{bucket}"
        if key not in self._places:
            self._places[key] = Place(key, self._store(key))
        return self._places[key]

    def forget_others(self, queries: Collection[str]) -> None:
        """Free the operators of all queries but these."""
        kept = {key: place for key, place in self._places.items() if key.partition("/")[0] in queries}
        self._places = kept

    def map_anew(self) -> None:
        """Let go of all operators if their saved state takes much memory; the next batch maps it."""
        if sum(place.loaded for place in self._places.values()) > LOADED:
            for place in self._places.values():
                place.let_go()


def _checksum(told: object) -> int:
    return zlib.crc32(json.dumps(told).encode())


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
