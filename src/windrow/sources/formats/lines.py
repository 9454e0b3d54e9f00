"""Cutting bytes into lines: as they come in pieces (LineFeed), and within a block.

The law of LineFeed: what it returns and what it still holds is all that it was fed, apart from
lines longer than the limit, of which it keeps the start and the length. So it never holds more
than one line of the limit's length, or such a start.
"""

from __future__ import annotations

import re
from typing import cast

import numpy as np
import pyarrow as pa

from windrow.sources.formats.base import SHOWN, Rejected, shown

_HEAD = 4 * SHOWN
_EMPTY_LINES = re.compile(rb"(?:^|(?<=\n))\n+")
_UTF8_CHUNK = 1 << 14


class LineFeed:
    """Puts lines together from bytes that come in arbitrary pieces."""

    def __init__(self, max_line: int) -> None:
        self._max_line = max_line
        self._partial = bytearray()
        self._overlong = 0
        self.rejected: list[Rejected] = []
        """Lines that were too long, since the list was last cleared."""

    @property
    def pending(self) -> int:
        """So many bytes have come since the last newline."""
        return self._overlong or len(self._partial)

    @property
    def held(self) -> int:
        """So many bytes are in memory."""
        return len(self._partial)

    def feed(self, data: bytes) -> bytes:
        """The whole lines that `data` completes."""
        if self._overlong:
            data = self._pass_overlong(data)
        end = data.rfind(b"\n") + 1
        whole = b""
        if end:
            whole = self._without_overlong(bytes(self._partial) + data[:end])
            self._partial.clear()
        self._hold(data[end:])
        return whole

    def end(self) -> bytes:
        """The last line, if no newline ended it; nothing is held any more."""
        last = bytes(self._partial)
        if self._overlong:
            self._reject(last, self._overlong)
            last = b""
        self._partial.clear()
        self._overlong = 0
        return last

    def _hold(self, data: bytes) -> None:
        if self._overlong:
            self._overlong += len(data)
            return
        self._partial += data
        if len(self._partial) > self._max_line:
            self._overlong = len(self._partial)
            del self._partial[_HEAD:]

    def _pass_overlong(self, data: bytes) -> bytes:
        end = data.find(b"\n")
        if end < 0:
            return data
        self._reject(bytes(self._partial), self._overlong + end)
        self._partial.clear()
        self._overlong = 0
        return data[end + 1 :]

    def _without_overlong(self, block: bytes) -> bytes:
        """Hops from newline to newline, as far as the limit allows: few steps for any block."""
        kept, start, at = [], 0, 0
        while len(block) - at > self._max_line:
            newline = block.rfind(b"\n", at, at + self._max_line + 1)
            if newline >= 0:
                at = newline + 1
                continue
            end = block.index(b"\n", at)
            self._reject(block[at : at + _HEAD], end - at)
            kept.append(block[start:at])
            start = at = end + 1
        return block if not start else b"".join((*kept, block[start:]))

    def _reject(self, head: bytes, length: int) -> None:
        reason = f"the line is too long: {length} bytes, and at most {self._max_line} are taken"
        self.rejected.append((shown(head), reason))


def cleaned(block: bytes) -> tuple[bytes, list[Rejected]]:
    """The block's lines that are not empty and are valid UTF-8, each ended by one newline."""
    if not block.endswith(b"\n"):
        block += b"\n"
    if b"\r\n" in block:
        block = block.replace(b"\r\n", b"\n")
    if b"\n\n" in block or block.startswith(b"\n"):
        block = _EMPTY_LINES.sub(b"", block)
    return (block, []) if block.isascii() else _valid_utf8(block)


def line_array(block: bytes) -> pa.StringArray:
    """The lines of a cleaned block, each with its newline, without a copy."""
    newlines = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    offsets = np.zeros(len(newlines) + 1, np.int32)
    offsets[1:] = newlines + 1
    buffers = [None, pa.py_buffer(offsets.data), pa.py_buffer(block)]
    return cast(pa.StringArray, pa.Array.from_buffers(pa.string(), len(newlines), buffers))


def joined(lines: pa.StringArray) -> bytes:
    """The block that lines of `line_array`, or some of them, make up."""
    _, ends, text = lines.buffers()
    if text is None or ends is None or not len(lines):
        return b""
    offsets = np.frombuffer(memoryview(ends), np.int32)[lines.offset : lines.offset + len(lines) + 1]
    return text[int(offsets[0]) : int(offsets[-1])].to_pybytes()


def _valid_utf8(block: bytes) -> tuple[bytes, list[Rejected]]:
    if is_utf8(block):
        return block, []
    kept: list[bytes] = []
    rejected: list[Rejected] = []
    start = 0
    while start < len(block):
        end = block.find(b"\n", start + _UTF8_CHUNK) + 1 or len(block)
        chunk = block[start:end]
        if is_utf8(chunk):
            kept.append(chunk)
        else:
            for line in chunk[:-1].split(b"\n"):
                if is_utf8(line):
                    kept += (line, b"\n")
                else:
                    rejected.append((shown(line), "the line is not valid UTF-8"))
        start = end
    return b"".join(kept), rejected


def is_utf8(text: bytes) -> bool:
    """Whether the bytes are text."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
