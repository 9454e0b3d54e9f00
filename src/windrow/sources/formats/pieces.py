"""What reading a file piece by piece gives, whatever its format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from windrow.sources.formats.base import Rejected

PIECE_ROWS = 1 << 18
PIECE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows with the columns and types of `stream.arriving`, and what was rejected among them."""

    rows: pa.Table
    rejected: list[Rejected]
    at: int
    """Where the file was read to: reading on from here gives what comes after, and no more."""


class Unreadable(Exception):
    """A file that does not hold what it should; the message says why."""


class FileReader(ABC):
    """Reads files of one format in pieces of bounded size."""

    @abstractmethod
    def read(self, path: Path, start: int) -> Iterator[Piece]:
        """The pieces from `start`, 0 or the `at` of a piece. Raises OSError or Unreadable."""
