from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.sources.formats.lines import LineFeed, cleaned, joined, line_array

BYTES = st.lists(st.sampled_from([b"a", b"bb", b"\n", b"\r\n", b"\xff"]), max_size=40).map(b"".join)


START_KEPT = 800
"""Bytes: enough for 200 characters of any kind."""


def chopped(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[a:b] for a, b in pairwise(places)]


@given(BYTES, st.lists(st.integers(0, 100)), st.integers(1, 6))
def test_lines_and_rejections_do_not_depend_on_how_input_is_chopped(
    data: bytes, cuts: list[int], max_line: int
) -> None:
    feed = LineFeed(max_line)
    block = b"".join(feed.feed(piece) for piece in chopped(data, cuts))
    assert feed.held <= max(max_line, START_KEPT)
    last = feed.end()
    *lines, torn = data.split(b"\n")
    assert block == b"".join(line + b"\n" for line in lines if len(line) <= max_line)
    assert last == (torn if len(torn) <= max_line else b"")
    overlong = [len(line) for line in (*lines, torn) if len(line) > max_line]
    assert [int(reason.split()[5]) for _, reason in feed.rejected] == overlong


@given(BYTES, st.lists(st.integers(0, 100)))
def test_pending_counts_from_the_last_newline(data: bytes, cuts: list[int]) -> None:
    feed = LineFeed(3)
    for piece in chopped(data, cuts):
        feed.feed(piece)
    assert feed.pending == len(data) - (data.rfind(b"\n") + 1)


def test_an_overlong_line_is_not_kept() -> None:
    feed = LineFeed(1000)
    for _ in range(1000):
        assert feed.feed(b"x" * 10_000) == b""
        assert feed.held <= 1000
    assert feed.feed(b"\nnext\n") == b"next\n"
    reason = "the line is too long: 10000000 bytes, and at most 1000 are taken"
    assert feed.rejected == [("x" * 200, reason)]


@pytest.mark.parametrize(
    ("block", "clean"),
    [
        (b"", b""),
        (b"\n\r\n\n", b""),
        (b"a", b"a\n"),
        (b"\r\n\na\r\n\r\n\nb\n\n", b"a\nb\n"),
        ("ä\nü".encode(), "ä\nü\n".encode()),
    ],
)
def test_cleaned_drops_empty_lines_and_ends_each_with_one_newline(block: bytes, clean: bytes) -> None:
    assert cleaned(block) == (clean, [])


def test_cleaned_sets_invalid_utf8_apart_line_by_line() -> None:
    lines = [b"good %d" % n if n % 3 else b"bad \xff %d" % n for n in range(5000)]
    block, rejected = cleaned(b"\n".join(lines))
    assert block == b"".join(line + b"\n" for line in lines if line.startswith(b"good"))
    assert [text for text, _ in rejected] == [f"bad � {n}" for n in range(0, 5000, 3)]
    assert {reason for _, reason in rejected} == {"the line is not valid UTF-8"}


def test_a_unicode_line_separator_is_no_newline() -> None:
    block, rejected = cleaned("a\u2028b\n".encode() + b"\x85\n")
    assert (block, len(rejected)) == ("a\u2028b\n".encode(), 1)


def test_a_line_array_can_be_filtered_and_joined_again() -> None:
    lines = line_array(b"a\nbb\nccc\n")
    assert lines.to_pylist() == ["a\n", "bb\n", "ccc\n"]
    assert joined(lines.slice(1)) == b"bb\nccc\n"
    assert joined(lines.slice(0, 0)) == b""
    assert line_array(b"").to_pylist() == []
