"""A sink of files: Parquet, CSV or JSON lines, each tuple in them exactly once.

The law it rests on: a batch given again has the same content and number. A part is written and
flushed under a temporary name in a dot-directory of the target, so on the same file system; the
driver renames it to `part-<batch>-<part>.<ext>`. Wherever the process dies, the batch is given
again, its files take the places of those that are there, and files that an earlier attempt at
the same batch cut differently are removed.
"""

from __future__ import annotations

import io
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from windrow.delta import Delta
from windrow.errors import SinkError
from windrow.schema import Schema
from windrow.sinks import encoding
from windrow.sinks.base import FileSink, Part
from windrow.sinks.changelog import Changelog
from windrow.sinks.directory import TargetDirectory, storage_failure

EXTENSIONS = {"parquet": "parquet", "csv": "csv", "json": "json"}


def _write_parquet(table: pa.Table, file: BinaryIO) -> None:
    pq.write_table(table, file, compression="zstd")


def _write_csv(table: pa.Table, file: BinaryIO) -> None:
    file.writelines(encoding.text(table, "csv", header=True))


def _write_json(table: pa.Table, file: BinaryIO) -> None:
    file.writelines(encoding.text(table, "json"))


WRITERS: dict[str, Callable[[pa.Table, BinaryIO], None]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
    "json": _write_json,
}


class DirectorySink(FileSink):
    """`file:///dir?format=parquet|csv|json`.

    `owner` names the query and checkpoint that batch numbers belong to: a directory that holds
    the parts of another owner is refused, since equal numbers would overwrite them.
    """

    def __init__(
        self, path: Path, form: str, changelog: Changelog | None = None, owner: str | None = None
    ) -> None:
        self._form = form
        self._changelog = changelog or Changelog()
        self._directory = TargetDirectory(path, owner)
        self._committed: int | None = None

    def __reduce__(self) -> tuple[type[DirectorySink], tuple[object, ...]]:
        """A worker gets the sink as it was built: unopened."""
        return type(self), (self._directory.path, self._form, self._changelog, self._directory.owner)

    def open(self, schema: Schema) -> None:
        self._check_types(schema)
        self._directory.open()

    def close(self) -> None:
        """What is written and not in place is written again when the query runs on."""
        self._directory.clear()
        self._directory.close()

    def write(self, batch: int, delta: Delta) -> None:
        part = self.write_part(batch, 0, delta)
        self.commit(batch, [] if part is None else [part])

    def write_part(self, batch: int, part: int, delta: Delta) -> Part | None:
        if not len(delta):
            return None
        name = f"part-{batch:09d}-{part:04d}.{EXTENSIONS[self._form]}"
        temporary = self._directory.temporary / f"{name}.{uuid.uuid4().hex}"
        try:
            self._directory.temporary.mkdir(parents=True, exist_ok=True)
            self._write(temporary, self._changelog.brief(delta))
        except BaseException as failure:
            temporary.unlink(missing_ok=True)
            if isinstance(failure, OSError):
                raise storage_failure(temporary, failure) from failure
            raise
        return Part(temporary, name)

    def _check_types(self, schema: Schema) -> None:
        for field in schema:
            column = pa.schema([field.arrow]).empty_table()
            try:
                WRITERS[self._form](column, io.BytesIO())
            except (pa.ArrowException, duckdb.Error) as failure:
                raise SinkError(
                    f"column {field.name} cannot be written as {self._form}: it is of type {field.type}",
                    hint=f"write CAST({field.name} AS VARCHAR) AS {field.name}",
                ) from failure

    def _write(self, temporary: Path, table: pa.Table) -> None:
        with temporary.open("xb") as file:
            WRITERS[self._form](table, file)
            file.flush()
            os.fsync(file.fileno())

    def commit(self, batch: int, parts: Sequence[Part]) -> None:
        try:
            self._place(parts)
            self._remove_leftovers(batch, {part.name for part in parts})
            self._directory.flush()
        except OSError as failure:
            raise storage_failure(self._directory.path, failure) from failure
        self._committed = batch

    def _place(self, parts: Sequence[Part]) -> None:
        for part in parts:
            target = self._directory.path / part.name
            try:
                part.written.replace(target)
            except FileNotFoundError:
                if not target.exists():
                    raise SinkError(
                        f"{target} cannot be put in place: its temporary file {part.written} is gone",
                        hint="workers and driver must share the directory's file system;"
                        " nothing else may clean it while the query runs",
                    ) from None

    def _remove_leftovers(self, batch: int, kept: set[str]) -> None:
        """Earlier attempts end before this one, so a batch that follows a batch has none in place."""
        if self._committed is None or batch <= self._committed:
            for path in self._directory.parts(batch):
                if path.name not in kept:
                    path.unlink(missing_ok=True)
        for path in _up_to(batch, self._directory.temporaries()):
            path.unlink(missing_ok=True)


def _up_to(batch: int, temporaries: Iterator[Path]) -> Iterator[Path]:
    return (path for path in temporaries if int(path.name.split("-")[1]) <= batch)
