"""Files of lines, read in pieces; where a piece ends is a count of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from windrow.sources.formats.base import Decoder, Layout
from windrow.sources.formats.pieces import PIECE_BYTES, FileReader, Piece
from windrow.sources.formats.text import TextOrigin


class TextFileReader(FileReader):
    """A last line that no newline ends is a line all the same: files are there as a whole."""

    def __init__(self, decoder: Decoder, max_line: int, piece_bytes: int = PIECE_BYTES) -> None:
        self._decoder = decoder
        self._piece_bytes = piece_bytes
        self._max_line = max_line

    def read(self, path: Path, start: int) -> Iterator[Piece]:
        text = TextOrigin(self._decoder, self._max_line)
        with path.open("rb") as file:
            if start:
                self._learn_layout(file, text)
                file.seek(start)
            while data := file.read(self._piece_bytes):
                block = text.feed(data)
                yield self._piece(text, block, file.tell() - text.pending)
                if text.refused:
                    return
            last = text.last_line()
            yield self._piece(text, last, file.tell())

    def _piece(self, text: TextOrigin, block: bytes, at: int) -> Piece:
        decoded = self._decoder.decode(block, text.layout or Layout())
        return Piece(decoded.rows, text.rejected() + decoded.rejected, at)

    def _learn_layout(self, file: BinaryIO, text: TextOrigin) -> None:
        """Reads the first line again, which tells how the others are laid out."""
        while text.layout is None and not text.refused and (data := file.read(self._piece_bytes)):
            text.feed(data)
        text.rejected()
        text.go_on()
