"""Deltas on their way between processes: Spark carries small ones, and of large ones the name of a file.

All processes see the checkpoint's files, and nobody needs a delta for longer than its batch. A file has a
name of its own, so a task that runs twice disturbs nobody; and nothing is flushed, for a batch that a crash
cuts off runs again, and writes its files anew.
"""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

import pyarrow as pa

from windrow.delta import Delta
from windrow.errors import CheckpointError

LARGE = 1 << 16
"""Bytes from which on a file is cheaper than the way through Spark."""


class Mail:
    """The deltas of one batch."""

    def __init__(self, checkpoint: Path, batch: int) -> None:
        self._folder = _folder(checkpoint) / str(batch)

    def post(self, delta: Delta) -> Path | None:
        """Where a delta is to be fetched; None if it is small."""
        if delta.nbytes < LARGE:
            return None
        path = self._folder / uuid.uuid4().hex
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with pa.OSFile(str(path), "wb") as file:
                delta.write(file)
        except OSError as error:
            raise CheckpointError(
                f"tuples on their way between workers cannot be written: {error.strerror or error}",
                hint="make room on the checkpoint's disk, and see that you may write there",
            ) from error
        return path


def fetch(path: Path) -> Delta:
    """A delta that was posted, in memory of its own: the file may be gone before the delta is."""
    try:
        return Delta.from_blob(path.read_bytes())
    except (OSError, pa.ArrowInvalid) as error:
        raise CheckpointError(
            f"{path}: tuples on their way between workers cannot be read: {error}",
            hint="all machines of the cluster must share the checkpoint's file system",
        ) from error


def throw_away(checkpoint: Path, upto: int | None = None) -> None:
    """What was posted in batches up to one that is done, or in all."""
    for folder in _folder(checkpoint).glob("*"):
        if upto is None or int(folder.name) <= upto:
            shutil.rmtree(folder, ignore_errors=True)


def _folder(checkpoint: Path) -> Path:
    return checkpoint / "exchange"
