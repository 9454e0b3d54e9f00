from __future__ import annotations

import pytest

from windrow.catalog import Stream
from windrow.schema import Schema
from windrow.sources.formats.csv import CsvDecoder, CsvOptions
from windrow.sources.formats.text import TextOrigin

STREAM = Stream("bids", Schema.of(("item", "INTEGER"), ("name", "VARCHAR")))


def origin(header: bool | None = None) -> TextOrigin:
    return TextOrigin(CsvDecoder(STREAM, CsvOptions(header=header)), max_line=100)


@pytest.mark.parametrize("piece", [1, 3, 1000])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n\r\n", "\ufeff\n"])
def test_a_header_is_told_from_the_lines_however_it_comes(start: str, piece: int) -> None:
    text, data = origin(), f"{start}name,item\r\na,1\n\nb,2\n".encode()
    block = b"".join(text.feed(data[at : at + piece]) for at in range(0, len(data), piece))
    assert text.layout is not None
    assert text.layout.columns == ("name", "item")
    assert block.split() == [b"a,1", b"b,2"]


def test_a_first_line_that_is_a_row_stays() -> None:
    text = origin()
    assert text.feed("\ufeff1,a\n2,b\n".encode()) == b"1,a\n2,b\n"


def test_after_a_header_that_does_not_fit_nothing_comes() -> None:
    text = origin(header=True)
    assert text.feed(b"item,nom\n1,a\n") == b""
    assert text.rejected() == [("item,nom", "the header does not name column name")]
    assert text.feed(b"2,b\n") + text.last_line() == b""
    assert text.refused


def test_a_last_line_may_be_whole_or_torn() -> None:
    whole, torn = origin(), origin()
    for text in (whole, torn):
        assert text.feed(b"1,a\n2,b") == b"1,a\n"
        assert text.pending == 3
    assert whole.last_line() == b"2,b\n"
    torn.torn("why")
    assert torn.rejected() == [("2,b", "why")]


def test_an_overlong_torn_line_is_rejected_for_its_length() -> None:
    text = origin()
    text.feed(b"x" * 101)
    text.torn("why")
    assert [reason for _, reason in text.rejected()] == [
        "the line is too long: 101 bytes, and at most 100 are taken"
    ]


def test_going_on_keeps_the_layout() -> None:
    text = origin()
    text.feed(b"name,item\na,1\nb,")
    text.go_on()
    assert text.feed(b"item,name\nc,3\n") == b"item,name\nc,3\n"
