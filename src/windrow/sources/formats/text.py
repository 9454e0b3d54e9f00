"""Text from one origin, a file or a connection: its lines, told apart from its header."""

from __future__ import annotations

from windrow.sources.formats.base import Decoder, HeaderRefused, Layout, Rejected, shown
from windrow.sources.formats.lines import LineFeed

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class TextOrigin:
    """Feeds on bytes as they come; gives blocks of whole lines without the header."""

    def __init__(self, decoder: Decoder, max_line: int) -> None:
        self._decoder = decoder
        self._max_line = max_line
        self._feed = LineFeed(max_line)
        self._begun = False
        self.layout: Layout | None = None
        """Known from the first line on."""
        self.refused = False
        """The header does not fit: what else comes is passed over."""

    @property
    def pending(self) -> int:
        """So many bytes have come since the last newline."""
        return self._feed.pending

    @property
    def held(self) -> int:
        """So many bytes are in memory."""
        return self._feed.held

    def feed(self, data: bytes) -> bytes:
        """The whole lines that `data` completes."""
        if self.refused:
            return b""
        return self._without_header(self._feed.feed(data))

    def last_line(self) -> bytes:
        """The line that no newline ended, if there is one."""
        last = self._feed.end()
        return self._without_header(last + b"\n") if last and not self.refused else b""

    def torn(self, why: str) -> None:
        """The origin has gone in the middle of a line, which may be only the start of one."""
        if last := self._feed.end():
            self._feed.rejected.append((shown(last), why))

    def rejected(self) -> list[Rejected]:
        """What was rejected since this was asked last."""
        taken, self._feed.rejected = self._feed.rejected, []
        return taken

    def go_on(self) -> None:
        """Feeds anew, from the start of any line after the first."""
        self._feed = LineFeed(self._max_line)

    def _without_header(self, block: bytes) -> bytes:
        if self.layout is not None or not block:
            return block
        if not self._begun:
            self._begun = True
            block = block.removeprefix(_BYTE_ORDER_MARK)
        block = block.lstrip(b"\r\n")
        first, _, rest = block.partition(b"\n")
        if not first:
            return b""
        try:
            self.layout = self._decoder.layout(first.rstrip(b"\r"))
        except HeaderRefused as refusal:
            self._feed.rejected.append((shown(first.rstrip(b"\r")), str(refusal)))
            self.refused = True
            return b""
        return rest if self.layout.header else block
