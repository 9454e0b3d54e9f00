"""The directory that a file sink fills: one owner, one writer at a time, and a place for what is
not ready yet."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from windrow.errors import SinkError

_HINTS = {
    errno.ENOSPC: "the disk is full: free some space; the batch is written when the query runs on",
    errno.EDQUOT: "the disk quota is used up: free some space; the batch is written when the query runs on",
    errno.EFBIG: "a file may not grow so large here: raise the limit (ulimit -f)",
    errno.EACCES: "give this user the right to write there, or choose another directory",
    errno.EPERM: "give this user the right to write there, or choose another directory",
    errno.EROFS: "the file system is read-only: choose another directory",
    errno.ENOTDIR: "a part of the path is a file: choose another directory",
    errno.ENOENT: "no directory can be made there: choose another one",
    errno.EEXIST: "a file of that name is there: choose another directory",
}


def storage_failure(path: Path, failure: OSError) -> SinkError:
    """The error that a user sees when the file system said no."""
    said = os.strerror(failure.errno) if failure.errno else str(failure)
    hint = _HINTS.get(failure.errno or 0, "the batch is written when the query runs on")
    return SinkError(f"cannot write {path}: {said}", hint=hint)


class TargetDirectory:
    """`part-*` files in `path`, and in its `.windrow` those being written, the lock, the owner."""

    def __init__(self, path: Path, owner: str | None) -> None:
        self.path = path
        self.owner = owner
        self.temporary = path / ".windrow"
        self._lock: BinaryIO | None = None

    def open(self) -> None:
        try:
            self.temporary.mkdir(parents=True, exist_ok=True)
            self._take_lock()
            self._check_owner()
            self.flush()
        except OSError as failure:
            self.close()
            raise storage_failure(self.path, failure) from failure
        except SinkError:
            self.close()
            raise

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def clear(self) -> None:
        """Remove what is not in place, if the directory is ours and lets us."""
        if self._lock is not None:
            with contextlib.suppress(OSError):
                for path in self.temporaries():
                    path.unlink(missing_ok=True)

    def _take_lock(self) -> None:
        self._lock = (self.temporary / "lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SinkError(
                f"another running query writes to {self.path}",
                hint="give each query a directory of its own, or stop the other one first",
            ) from None

    def _check_owner(self) -> None:
        if self.owner is None:
            return
        record = self.temporary / "owner"
        known = record.read_text() if record.exists() else None
        if known == self.owner:
            return
        if next(self.parts(), None) is not None:
            raise SinkError(
                f"{self.path} holds the results of another run, which this one would overwrite",
                hint="write to an empty directory, or run on from the checkpoint of the earlier run",
            )
        self._record_owner(record, self.owner)

    def _record_owner(self, record: Path, owner: str) -> None:
        fresh = record.with_name("owner.new")
        with fresh.open("w") as file:
            file.write(owner)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(record)

    def flush(self) -> None:
        """Make the names in the directory durable."""
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def parts(self, batch: int | None = None) -> Iterator[Path]:
        """The files in place: all, or those of one batch."""
        return self.path.glob("part-*" if batch is None else f"part-{batch:09d}-*")

    def temporaries(self) -> Iterator[Path]:
        return self.temporary.glob("part-*")
