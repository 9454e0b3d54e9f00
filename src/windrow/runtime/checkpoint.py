"""A checkpoint: the folder in which all that must survive is kept, and who may use it.

log/NAME/…          stream logs
programs/N.json     what was declared and running, version by version
state/…             operator state, by batch
journal/            how far the inline runner is
run                 a name that no other checkpoint has
spark/              how far the Spark runner is: Spark's own checkpoint
exchange/N/         what workers send each other in batch N, while it runs
lock                held by the process that uses the checkpoint
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa

from windrow.errors import CheckpointError

FORMAT = 3


def write_atomically(path: Path, content: bytes | pa.Buffer) -> None:
    """After a crash, or on a full disk, the file holds what it held before, or all of this."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CheckpointError(
            f"{path.name}: a file of the checkpoint cannot be written: {error.strerror}",
            hint="make room on the checkpoint's disk, and see that you may write there",
        ) from error


def write_json(path: Path, value: Any) -> None:
    write_atomically(path, json.dumps(value, indent=1).encode())


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise unusable(path, f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise unusable(path) from error


def run_of(checkpoint: Path) -> str:
    """The name of the run that all in a checkpoint is of."""
    return (checkpoint / "run").read_text().strip()


def unusable(path: Path, what: str = "is damaged") -> CheckpointError:
    return CheckpointError(
        f"{path.name}: a file of the checkpoint {what}",
        hint="restore the checkpoint from a copy, or start with a new one",
    )


class Checkpoint:
    """The folder, locked for this process. One without a path ends with the process."""

    def __init__(self, path: str | Path | None) -> None:
        self.lasting = path is not None
        self.path = Path(path if path is not None else tempfile.mkdtemp(prefix="windrow-")).absolute()
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = (self.path / "lock").open("a+b", buffering=0)
            self._take_lock()
        except OSError as error:
            raise CheckpointError(
                f"the checkpoint {self.path} cannot be used: {error.strerror}",
                hint="name a folder on a disk that has room, and that you may write to",
            ) from error
        self._check_format()
        self.keep("run", uuid.uuid4().hex)

    def keep(self, name: str, value: str) -> str:
        """A choice that holds as long as the checkpoint: the one made first."""
        path = self.path / name
        if not path.exists():
            write_atomically(path, f"{value}\n".encode())
        return path.read_text().strip()

    def close(self) -> None:
        self._lock.close()
        if not self.lasting:
            shutil.rmtree(self.path, ignore_errors=True)

    def _take_lock(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._lock.seek(0)
            owner = self._lock.read().decode().strip() or "unknown"
            self._lock.close()
            raise CheckpointError(
                f"the checkpoint {self.path} is in use by process {owner}",
                hint="end that process, or name another checkpoint",
            ) from error
        self._lock.truncate(0)
        self._lock.write(b"%d\n" % os.getpid())

    def _check_format(self) -> None:
        found = self.keep("format", str(FORMAT))
        if found != str(FORMAT):
            self._lock.close()
            raise CheckpointError(
                f"the checkpoint {self.path} has format {found}; this windrow writes format {FORMAT}",
                hint="use the windrow that wrote it, or start with a new checkpoint",
            )
