"""What reading a file piece by piece gives, whatever its format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from windrow.sources.formats.base import Decoded, Rejected

PIECE_ROWS = 1 << 18
PIECE_BYTES = 8 << 20
"""Not more, because each line of it may be rejected, and then takes far more memory."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a file."""

    rejected: list[Rejected]
    at: int
    """Where the file was read to: reading on from here gives what comes after, and no more."""
    size: int
    """About so many bytes of memory."""


AnyPiece = TypeVar("AnyPiece", bound=Piece)


class Unreadable(Exception):
    """A file that does not hold what it should; the message says why."""


class FileReader(ABC, Generic[AnyPiece]):
    """Reads files of one format in pieces of bounded size."""

    @abstractmethod
    def read(self, path: Path, start: int) -> Iterator[AnyPiece]:
        """The pieces from `start`, 0 or the `at` of a piece. Raises OSError or Unreadable."""

    @abstractmethod
    def decode(self, pieces: Sequence[AnyPiece]) -> Decoded:
        """The rows of pieces, of one file or of several, in order; for many small files that is
        far less work than each by itself."""
