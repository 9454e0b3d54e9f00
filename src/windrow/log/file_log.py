"""A stream log on disk.

A segment is two files, named by the position of their first entry: `….data` holds the entries'
bytes (Arrow IPC messages, one for each part that has rows, then the source's position as JSON),
`….index` their records. An entry is written to the data file, flushed to the disk, and only then to
the index; so what the index names is there. A write that was cut off is cut away when the log is
opened for writing, and never seen by readers.

Where history was folded, a segment begins within another one: it has all from there on, and what came
before in its first entry. From the rename that gives it its index on, it is read in the place of the other.
"""

from __future__ import annotations

import functools
import itertools
import json
import mmap
import os
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.catalog import Part
from windrow.errors import CheckpointError, SourceError
from windrow.log.index import ENTRY, Entries, Index, intact, sealed
from windrow.log.stored_types import Storage
from windrow.log.stream_log import (
    GrowingIndex,
    LogReader,
    Payload,
    Position,
    StreamLog,
    Times,
    folded,
    position_bytes,
    record,
)

SEGMENT_BYTES = 64 << 20
"""A data file that has reached this size is followed by a new one."""


def _index_file(directory: Path, segment: int) -> Path:
    return directory / f"{segment:020d}.index"


def _data_file(directory: Path, segment: int) -> Path:
    return directory / f"{segment:020d}.data"


def _segments(directory: Path) -> list[int]:
    return sorted(int(path.stem) for path in directory.glob("*.index"))


class FileLogReader(LogReader):
    """Reads a log that another process may be writing. Payload is mapped, not copied."""

    def __init__(self, directory: Path, schemas: tuple[pa.Schema, ...]) -> None:
        self._directory = directory
        self.storages = tuple(map(Storage, schemas))
        self._indexes: dict[int, Entries] = {}
        self._maps: dict[int, pa.Buffer] = {}

    def index(self) -> Index:
        segments = _segments(self._directory)
        if not segments:
            return Index(0, np.zeros(0, ENTRY))
        try:
            for segment in segments:
                path = _index_file(self._directory, segment)
                known = self._indexes.get(segment)
                if known is None or path.stat().st_size > known.nbytes:
                    self._indexes[segment] = _load(path)
            segments = _in_force({segment: len(self._indexes[segment]) for segment in segments})
        except FileNotFoundError:  # the writer has dropped it since it was listed
            return self.index()
        self.forget_all_but(segments)
        return Index(segments[0], np.concatenate([self._indexes[segment] for segment in segments]))

    def forget_all_but(self, segments: Sequence[int]) -> None:
        """Let go of segments that were dropped: while one is mapped, its space is not given back."""
        for known in (self._indexes, self._maps):
            for gone in known.keys() - set(segments):
                del known[gone]

    def read(self, entry: Any, part: Part) -> pa.RecordBatch:
        lengths = entry["lengths"]
        start = int(entry["offset"] + lengths[: part.value].sum())
        message = self._bytes(entry).slice(start, int(lengths[part.value]))
        return self.storages[part.value].read(message)

    def whole(self, entry: Any) -> pa.Buffer:
        """All bytes of an entry."""
        start = int(entry["offset"])
        return self._bytes(entry).slice(start, _end_of(entry) - start)

    def _bytes(self, entry: Any) -> pa.Buffer:
        segment, end = int(entry["segment"]), _end_of(entry)
        mapped = self._maps.get(segment)
        if mapped is None or mapped.size < end:
            path = _data_file(self._directory, segment)
            try:
                with path.open("rb") as file:
                    mapped = pa.py_buffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            except OSError as error:
                raise CheckpointError(
                    f"{path.name}: a segment of the stream log cannot be read: {error.strerror}",
                    hint="the pipeline needs it; restore the checkpoint's log from a copy",
                ) from error
            self._maps[segment] = mapped
        if mapped.size < end:
            raise CheckpointError(
                f"{_data_file(self._directory, segment).name}: a segment of the stream log is cut short",
                hint="restore the checkpoint's log from a copy",
            )
        return mapped


def _load(path: Path) -> Entries:
    size = path.stat().st_size // ENTRY.itemsize
    entries = np.fromfile(path, ENTRY, count=size)
    return entries[: intact(entries)]


def _in_force(sizes: Mapping[int, int]) -> list[int]:
    """The segments that have not been folded into others; `sizes` has the number of entries of each. One
    segment begins where another ends, or it has taken the place of that."""
    found: list[int] = []
    for segment in sorted(sizes):
        while found and found[-1] + sizes[found[-1]] != segment:
            found.pop()
        found.append(segment)
    return found


class FileLog(StreamLog):
    """The log of one stream under a checkpoint, opened for writing; one process at a time."""

    def __init__(
        self,
        directory: Path,
        schemas: tuple[pa.Schema, ...],
        *,
        durable: bool = True,
        segment_bytes: int = SEGMENT_BYTES,
    ) -> None:
        super().__init__()
        self._directory = directory
        self._durable = durable
        self._segment_bytes = segment_bytes
        self._reader = FileLogReader(directory, schemas)
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._cut_torn_end()
            self._segment = max(_segments(directory), default=0)
            self._data, self._records = self._opened(self._segment)
        except OSError as error:
            raise CheckpointError(
                f"the stream log {directory.name} cannot be opened: {error.strerror}",
                hint="make room on the checkpoint's disk, and see that you may write there",
            ) from error
        found = self._reader.index()
        self._index = GrowingIndex(found)
        self.position = self._last_position(found)

    def append(self, payload: Payload, times: Times, position: Position | None = None) -> None:
        if self._data.tell() >= self._segment_bytes:
            self._roll()
        if position is None and self._data.tell() == 0:
            position = self.position  # so that dropping older segments never forgets it
        entry = record(payload, times, self._index.totals)
        storages = self._reader.storages
        pieces = [storage.write(batch) for storage, batch in zip(storages, payload, strict=True)]
        extra = position_bytes(position)
        entry["segment"], entry["offset"] = self._segment, self._data.tell()
        entry["lengths"], entry["extra"] = [len(piece) for piece in pieces], len(extra)
        entry["crc"] = _checksum((*pieces, extra))
        self._write((*pieces, extra), sealed(entry))
        self._index.add(entry)
        self.position = position if position is not None else self.position

    def index(self) -> Index:
        return self._index.snapshot()

    def read(self, entry: Any, part: Part) -> pa.RecordBatch:
        return self._reader.read(entry, part)

    def drop_before(self, position: int) -> None:
        segments = _segments(self._directory)
        # The segment that follows has an entry, and with it the clock.
        gone = [segment for segment, following in itertools.pairwise(segments) if following < position]
        self._remove_all_but(segments[len(gone) :])
        self._index.drop_before(segments[len(gone)])

    def fold(self, position: int, payload: Payload, times: Times) -> None:
        """Nothing is folded on a disk that has no room for it, or while a segment begins just there."""
        if position - 1 in _segments(self._directory):
            return
        entry, rest = folded(payload, times, self._index.snapshot(), position)
        pieces = [
            storage.write(batch) for storage, batch in zip(self._reader.storages, payload, strict=True)
        ]
        entry["lengths"] = [len(piece) for piece in pieces]
        entry["crc"] = _checksum(pieces)
        pieces += map(self._reader.whole, rest)
        entries = np.append(entry, rest)
        entries["segment"] = position - 1
        entries["offset"][1:] = np.cumsum(entries["lengths"].sum(axis=1) + entries["extra"])[:-1]
        for each in entries:
            sealed(each)
        try:
            opened = self._rewritten(position - 1, pieces, entries)
        except OSError:
            return
        self._close_segment()
        self._segment = position - 1
        self._data, self._records = opened
        self._index.fold(position, entries[0], entries[1:])
        self._remove_all_but([self._segment])

    def close(self) -> None:
        self._close_segment()
        self._reader.forget_all_but([])

    def _close_segment(self) -> None:
        self._data.close()
        self._records.close()

    def _write(self, pieces: Sequence[bytes | pa.Buffer], entry: Entries) -> None:
        start, records = self._data.tell(), self._records.tell()
        try:
            for piece in pieces:
                _write_all(self._data, piece)
            self._flush(self._data)
            _write_all(self._records, entry.tobytes())
            self._flush(self._records)
        except OSError as error:
            self._cut_back(start, records)
            raise self._full(error) from error

    def _full(self, error: OSError) -> SourceError:
        return SourceError(
            f"the stream log {self._directory.name} cannot be written: {error.strerror}",
            hint="make room on the checkpoint's disk; nothing that was accepted is lost",
        )

    def _cut_back(self, data: int, records: int) -> None:
        for file, size in ((self._data, data), (self._records, records)):
            file.seek(size)
            file.truncate(size)

    def _flush(self, file: FileIO) -> None:
        if self._durable:
            os.fdatasync(file.fileno())

    def _roll(self) -> None:
        following = self._index.snapshot().end
        try:
            opened = self._opened(following)
        except OSError as error:
            raise self._full(error) from error
        self._close_segment()
        self._segment = following
        self._data, self._records = opened

    def _opened(self, segment: int) -> tuple[FileIO, FileIO]:
        """The two files of a segment, the data first: an index always has its data beside it."""
        data = FileIO(_data_file(self._directory, segment), "a")
        try:
            return data, FileIO(_index_file(self._directory, segment), "a")
        except OSError:
            data.close()
            raise

    def _rewritten(
        self, segment: int, pieces: Sequence[bytes | pa.Buffer], entries: Entries
    ) -> tuple[FileIO, FileIO]:
        """The two files of a segment that is there all at once."""
        paths = _data_file(self._directory, segment), self._directory / "folding"
        with ExitStack() as undone:
            for path in paths:
                undone.callback(path.unlink, missing_ok=True)
            data, records = (undone.enter_context(FileIO(path, "w")) for path in paths)
            for piece in pieces:
                _write_all(data, piece)
            _write_all(records, entries.tobytes())
            for file in (data, records):
                self._flush(file)
            paths[1].replace(_index_file(self._directory, segment))
            undone.pop_all()
        with suppress(OSError):  # what it is for now has its name
            _flush_names(self._directory)
        return data, records

    def _remove_all_but(self, segments: Sequence[int]) -> None:
        """Remove other segments, each index first, and data without an index."""
        for kind in ("index", "data"):
            for path in self._directory.glob(f"*.{kind}"):
                if int(path.stem) not in segments:
                    path.unlink()
        self._reader.forget_all_but(segments)

    def _cut_torn_end(self) -> None:
        """Cut away what a crash left after the last whole entry, and what was folded."""
        sizes = {
            segment: len(_load(_index_file(self._directory, segment)))
            for segment in _segments(self._directory)
        }
        segments = _in_force(sizes)
        self._remove_all_but(segments)
        (self._directory / "folding").unlink(missing_ok=True)
        if not segments:
            return
        index, data = (file(self._directory, segments[-1]) for file in (_index_file, _data_file))
        entries = _load(index)
        end = _end_of(entries[-1]) if len(entries) else 0
        if data.stat().st_size < end:
            raise CheckpointError(
                f"{data.name}: a segment of the stream log is cut short",
                hint="restore the checkpoint's log from a copy",
            )
        os.truncate(data, end)
        os.truncate(index, entries.nbytes)

    def _last_position(self, found: Index) -> Position | None:
        told = np.flatnonzero(found.entries["extra"])
        if not len(told):
            return None
        entry = found.entries[told[-1]]
        with _data_file(self._directory, int(entry["segment"])).open("rb") as file:
            file.seek(_end_of(entry) - int(entry["extra"]))
            position: Position = json.loads(file.read(int(entry["extra"])))
        return position


def _flush_names(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _checksum(pieces: Iterable[bytes | pa.Buffer]) -> int:
    return functools.reduce(lambda crc, piece: zlib.crc32(piece, crc), pieces, 0)


def _write_all(file: FileIO, piece: bytes | pa.Buffer) -> None:
    rest = memoryview(piece)
    while len(rest):
        rest = rest[file.write(rest) or 0 :]


def _end_of(entry: Any) -> int:
    return int(entry["offset"] + entry["lengths"].sum() + entry["extra"])
