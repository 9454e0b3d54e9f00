"""The files that a directory, a glob or a single path shows, in the order to read them."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path

from windrow.errors import SourceError


@dataclass(frozen=True, slots=True)
class File:
    """A file as it was when it was listed."""

    name: str
    """Its path below the place that is watched: what it is known by."""
    path: Path
    size: int
    modified: int
    """In nanoseconds."""


class Listing:
    """A place that is watched. Names that begin with a dot or an underscore are passed over, so a
    writer can use them until a file is whole."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._is_glob = glob.has_magic(path) and not Path(path).exists()
        self._base = _fixed_part(path) if self._is_glob else Path(path)

    @property
    def is_single_file(self) -> bool:
        """Whether the place is one file, to which no others will ever come."""
        return not self._is_glob and self._base.is_file()

    def check(self) -> None:
        """Raises SourceError if there is no such place, or it cannot be read."""
        if not self._base.exists():
            what = "directory" if self._is_glob else "file or directory"
            raise SourceError(f"there is no {what} {self._base}", hint=_hint_for_missing(self._base))
        if not os.access(self._base, os.R_OK):
            hint = "its permissions do not let this user read it"
            raise SourceError(f"cannot read {self._base}", hint=hint)

    def files(self, *, without: Container[str]) -> list[File]:
        """Those that are there, apart from the ones named, by (modification time, name)."""
        try:
            found = [file for name in self._names() if name not in without and (file := self._file(name))]
        except OSError as error:
            hint = "it was there when the source was opened"
            raise SourceError(f"cannot list {self._base}: {error.strerror}", hint=hint) from error
        return sorted(found, key=lambda file: (file.modified, file.name))

    def _names(self) -> Iterator[str]:
        if self._is_glob:
            paths = self._base.glob(self._pattern())
            names = (path.relative_to(self._base) for path in paths)
            return (str(name) for name in names if not any(map(_is_hidden, name.parts)))
        if self._base.is_file():
            return iter([self._base.name])
        with os.scandir(self._base) as entries:
            return iter([entry.name for entry in entries if not _is_hidden(entry.name)])

    def _pattern(self) -> str:
        return str(Path(self._path).relative_to(self._base))

    def _file(self, name: str) -> File | None:
        path = self._base if self._base.name == name and self._base.is_file() else self._base / name
        try:
            status = path.stat()
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return File(name, path, status.st_size, status.st_mtime_ns)


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "_"))


def _fixed_part(pattern: str) -> Path:
    """The directory before the first part of a glob that has a wildcard."""
    parts = Path(pattern).parts
    fixed = next(place for place, part in enumerate(parts) if glob.has_magic(part))
    return Path(*parts[:fixed])


def _hint_for_missing(path: Path) -> str:
    there = next((parent for parent in path.absolute().parents if parent.exists()), Path("/"))
    return f"{there} exists; create the rest of the path, or mend it"
