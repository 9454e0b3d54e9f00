"""Tuples from files: `file:///dir?format=parquet|csv|json`, a directory, a glob or one file.

New files are picked up as they appear, by (modification time, name); a file is read once, whatever
becomes of it later. So it must appear as a whole: write it under a name that begins with a dot or
an underscore, then rename it. A bad file is rejected and stops nothing.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import unquote

from windrow.catalog import Stream
from windrow.errors import SourceError
from windrow.log.stream_log import Position
from windrow.sources.base import Inlet, Source
from windrow.sources.done_files import DoneFiles
from windrow.sources.formats.base import MAX_LINE, Rejected
from windrow.sources.formats.choose import TEXT_OPTIONS, check_format, text_decoder, whole_number
from windrow.sources.formats.parquet import ParquetReader
from windrow.sources.formats.pieces import PIECE_BYTES, FileReader, Piece, Unreadable
from windrow.sources.formats.text_file import TextFileReader
from windrow.sources.listing import File, Listing
from windrow.uri import Uri

_POLL = "0.2"
_LONGEST_WAIT = 0.5
_FORMATS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}


@dataclass(frozen=True, slots=True)
class _Begun:
    """A file that was read in part."""

    name: str
    size: int
    modified: int
    at: int


@dataclass(slots=True)
class _HandOver:
    """Gathers pieces, of several files if they are small, for one call of the inlet."""

    inlet: Inlet
    done: DoneFiles
    reader: FileReader[Any]
    enough: int
    """So many bytes are handed over at once, without waiting for more."""
    pieces: list[Piece] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    begun: _Begun | None = None
    size: int = 0
    since: float | None = None
    """When the first of what is gathered came; None: there is nothing."""

    def take(self, piece: Piece, file: File) -> None:
        self.pieces.append(piece)
        self.size += piece.size
        self.begun = _Begun(file.name, file.size, file.modified, piece.at)
        self._note(time.monotonic())

    def reject(self, name: str, reason: str) -> None:
        # A name need not be UTF-8; what is logged must be.
        self.rejected.append((os.fsencode(name).decode("utf-8", "replace"), reason))

    def finish(self, name: str) -> None:
        self.done.add(name)
        self.begun = None
        self._note(time.monotonic())

    def now(self) -> None:
        if self.since is None:
            return
        rows, rejected = self.inlet.stream.arriving.arrow.empty_table(), self.rejected
        if self.pieces:
            decoded = self.reader.decode(self.pieces)
            rows, rejected = decoded.rows.combine_chunks(), decoded.rejected + rejected
        position = {"done": self.done.mark(), "file": asdict(self.begun) if self.begun else None}
        self.inlet.accept(rows, rejected=rejected, position=position)
        self.pieces, self.rejected, self.size, self.since = [], [], 0, None

    def _note(self, now: float) -> None:
        """Hands over what is enough, or has waited long enough."""
        if self.since is None:
            self.since = now
        if self.size >= self.enough or now - self.since > _LONGEST_WAIT:
            self.now()


class FileSource(Source):
    """Watches a place for files. `journal` is a path for the names of files that have been read;
    without it they are in every position, which grows with them. `piece_bytes` is about how much
    memory a hand-over takes."""

    def __init__(
        self,
        uri: Uri,
        stream: Stream,
        *,
        max_line: int = MAX_LINE,
        journal: Path | None = None,
        piece_bytes: int = PIECE_BYTES,
    ) -> None:
        uri.check_options(*TEXT_OPTIONS, "poll")
        path = unquote(uri.rest)
        if not path:
            raise SourceError(
                f"{uri.text} names no path", hint="say file:///path/of/a/directory?format=csv"
            )
        self._uri = uri
        self._poll = _seconds(uri)
        self._listing = Listing(path)
        self._piece_bytes = piece_bytes
        longest = whole_number(uri, "max_line", max_line)
        self._reader = _reader(uri, stream, _format(uri, path), longest, piece_bytes)
        self._done = DoneFiles(journal)
        self._idle = False

    def open(self) -> None:
        self._listing.check()

    def run(self, inlet: Inlet, position: Position | None, stopping: Event) -> None:
        self._done.restore(position["done"] if position else None)
        hand_over = _HandOver(inlet, self._done, self._reader, self._piece_bytes // 4)
        begun = _Begun(**position["file"]) if position and position["file"] else None
        if begun:
            self._go_on(begun, hand_over, stopping)
        is_single_file = self._listing.is_single_file
        while not stopping.is_set():
            asked = time.monotonic()
            files = self._listing.files(without=self._done)
            took = time.monotonic() - asked
            self._read_all(files, hand_over, stopping)
            if not files:
                if is_single_file:
                    return
                stopping.wait(max(self._poll, 5 * took))

    def idle(self) -> bool:
        # In this order: a file counts as done shortly before it is handed over.
        return not self._listing.files(without=self._done) and self._idle

    def close(self) -> None:
        self._done.close()

    def _go_on(self, begun: _Begun, hand_over: _HandOver, stopping: Event) -> None:
        """Reads on where the last run was interrupted, if the file is still what it was."""
        there = {file.name: file for file in self._listing.files(without=self._done)}
        file = there.get(begun.name)
        if file is None or (file.size, file.modified) != (begun.size, begun.modified):
            what = "vanished" if file is None else "was changed"
            hand_over.reject(begun.name, f"the file {what} after {begun.at} {self._unit} of it were read")
            hand_over.finish(begun.name)
        else:
            self._read(file, begun.at, hand_over, stopping)
        hand_over.now()

    def _read_all(self, files: list[File], hand_over: _HandOver, stopping: Event) -> None:
        self._idle = False
        for file in files:
            if stopping.is_set():
                break
            self._read(file, 0, hand_over, stopping)
        hand_over.now()
        self._idle = not stopping.is_set()

    def _read(self, file: File, start: int, hand_over: _HandOver, stopping: Event) -> None:
        pieces = self._reader.read(file.path, start)
        while piece := _next(pieces):
            if isinstance(piece, str):
                hand_over.reject(file.name, piece)
                break
            hand_over.take(piece, file)
            if stopping.is_set():
                return
        hand_over.finish(file.name)

    @property
    def _unit(self) -> str:
        return "rows" if isinstance(self._reader, ParquetReader) else "bytes"


def _next(pieces: Iterator[Piece]) -> Piece | str | None:
    """The next piece, or why there is none to be had, or None at the end."""
    try:
        return next(pieces, None)
    except FileNotFoundError:
        return "the file vanished before it was read"
    except OSError as error:
        return f"the file cannot be read: {error.strerror or error}"
    except Unreadable as error:
        return str(error)


def _format(uri: Uri, path: str) -> str:
    format_ = uri.options.get("format") or _FORMATS.get(Path(path).suffix.lower())
    if format_ is None:
        raise SourceError(f"{uri.text}: in what format are the files?", hint="say ?format=parquet|csv|json")
    check_format(uri, format_, "parquet", "csv", "json")
    return format_


def _reader(uri: Uri, stream: Stream, format_: str, max_line: int, piece_bytes: int) -> FileReader[Any]:
    if format_ == "parquet":
        return ParquetReader(stream, piece_bytes)
    return TextFileReader(text_decoder(uri, stream, format_), max_line, piece_bytes)


def _seconds(uri: Uri) -> float:
    text = uri.options.get("poll", _POLL)
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise SourceError(f"{uri.text}: poll cannot be '{text}'", hint="say seconds, such as 0.2")
    return seconds
