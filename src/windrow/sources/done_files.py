"""Which files of a place have been read to their end: known by name, and never read again.

A position in the stream log must stay small, yet no rule on times can stand in for the names: a
file may come later with an older time. So the names go to a journal, a file that only grows, and
the position says how long it was. What a crash left beyond that length is cut off: those names
belong to a hand-over that was not logged. Without a journal the names are in the position itself.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import BinaryIO

from windrow.errors import SourceError

Mark = int | list[str]
"""The journal's length, or all names."""


class DoneFiles:
    """A set of names that a mark of it can bring back."""

    def __init__(self, journal: Path | None) -> None:
        self._path = journal
        self._journal: BinaryIO | None = None
        self._names: dict[str, None] = {}
        self._added: list[str] = []

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def add(self, name: str) -> None:
        self._names[name] = None
        self._added.append(name)

    def mark(self) -> Mark:
        """What brings back the set as it is; durable as soon as this returns."""
        if self._journal is None:
            return list(self._names)
        if self._added:
            self._journal.write(b"".join(json.dumps(name).encode() + b"\n" for name in self._added))
            self._journal.flush()
            os.fsync(self._journal.fileno())
            self._added.clear()
        return self._journal.tell()

    def restore(self, mark: Mark | None) -> None:
        """Back to the set that gave the mark; None is the empty set."""
        if self._path is None:
            self._names = dict.fromkeys(_names_in(mark))
            return
        journal = self._journal = self._opened(self._path)
        length = mark if isinstance(mark, int) else 0
        lines = journal.read(length).splitlines()
        try:
            names = [json.loads(line) for line in lines]
        except ValueError as error:
            raise _damaged(self._path) from error
        if journal.tell() < length:
            raise _damaged(self._path)
        journal.truncate()
        self._names = dict.fromkeys(names)
        for name in mark if isinstance(mark, list) else ():
            self.add(name)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _opened(self, path: Path) -> BinaryIO:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return path.open("r+b" if path.exists() else "w+b")
        except OSError as error:
            reason = f"cannot write the journal of files read, {path}: {error.strerror}"
            raise SourceError(reason, hint="a source of files keeps it in the checkpoint") from error


def _damaged(journal: Path) -> SourceError:
    hint = "restore it together with the checkpoint that it belongs to"
    return SourceError(f"the journal of files read, {journal}, is damaged or cut short", hint=hint)


def _names_in(mark: Mark | None) -> list[str]:
    if isinstance(mark, int):
        hint = "start it again with the checkpoint directory that it had"
        raise SourceError("which files were read is in a journal that is not given", hint=hint)
    return mark or []
