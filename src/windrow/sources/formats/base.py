"""What a text format is: lines in, rows of the arriving schema and rejected input out.

A format is line-oriented: one line is one row, in files as on sockets. So a bad line can never
swallow its neighbours, and input can be cut at any newline.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import pyarrow as pa

Rejected = tuple[str, str]
"""Input that was no tuple, and why."""

SHOWN = 200
"""So many characters of rejected input are kept."""

MAX_LINE = 1 << 20
"""A line may have so many bytes, unless a source is told otherwise."""


def shown(line: bytes | str) -> str:
    """The start of an input line, as it goes into NAME.rejected."""
    if isinstance(line, str):
        return line[:SHOWN]
    return line[: 4 * SHOWN].decode("utf-8", "replace")[:SHOWN]


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a block of lines held."""

    rows: pa.Table
    """In order of arrival, with the columns and Arrow types of `stream.arriving`."""
    rejected: list[Rejected]


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of one origin (a file, a connection) are laid out; told by its first line."""

    columns: tuple[str | None, ...] = ()
    """The stream's column at each place; None for one that the stream does not have."""
    header: bool = False
    """Whether the first line was a header, so no row."""


class HeaderRefused(Exception):
    """The header does not fit the stream, so no line of its origin can be read."""


class Decoder(ABC):
    """Decodes blocks of whole lines. Used by one thread at a time."""

    @abstractmethod
    def layout(self, first_line: bytes) -> Layout:
        """How an origin with this first line is laid out. Raises HeaderRefused."""

    @abstractmethod
    def decode(self, block: bytes, layout: Layout) -> Decoded:
        """The rows of whole lines, each ended by a newline; bad lines are set apart."""
