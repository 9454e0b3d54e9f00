"""Files of lines, read in pieces; where a piece ends is a count of bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from windrow.sources.formats.base import Decoded, Decoder, Layout
from windrow.sources.formats.pieces import PIECE_BYTES, FileReader, Piece
from windrow.sources.formats.text import TextOrigin


@dataclass(frozen=True, slots=True)
class TextPiece(Piece):
    """Whole lines, to be decoded together with others that are laid out alike."""

    lines: bytes
    layout: Layout


class TextFileReader(FileReader[TextPiece]):
    """A last line that no newline ends is a line all the same: files are there as a whole."""

    def __init__(self, decoder: Decoder, max_line: int, piece_bytes: int = PIECE_BYTES) -> None:
        self._decoder = decoder
        self._piece_bytes = piece_bytes
        self._max_line = max_line

    def read(self, path: Path, start: int) -> Iterator[TextPiece]:
        text = TextOrigin(self._decoder, self._max_line)
        with path.open("rb") as file:
            if start:
                self._learn_layout(file, text)
                file.seek(start)
            while data := file.read(self._piece_bytes):
                lines = text.feed(data)
                yield _piece(text, lines, file.tell() - text.pending)
                if text.refused:
                    return
            last = text.last_line()
            yield _piece(text, last, file.tell())

    def decode(self, pieces: Sequence[TextPiece]) -> Decoded:
        rejected = [entry for piece in pieces for entry in piece.rejected]
        decoded = [
            self._decoder.decode(b"".join(piece.lines for piece in alike), layout)
            for layout, alike in groupby(pieces, key=lambda piece: piece.layout)
        ]
        for part in decoded:
            rejected += part.rejected
        return Decoded(pa.concat_tables(part.rows for part in decoded), rejected)

    def _learn_layout(self, file: BinaryIO, text: TextOrigin) -> None:
        """Reads the first line again, which tells how the others are laid out."""
        while text.layout is None and not text.refused and (data := file.read(self._piece_bytes)):
            text.feed(data)
        text.rejected()
        text.go_on()


def _piece(text: TextOrigin, lines: bytes, at: int) -> TextPiece:
    return TextPiece(text.rejected(), at, len(lines), lines, text.layout or Layout())
