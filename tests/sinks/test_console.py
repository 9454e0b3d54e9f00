"""What the console sink prints: on a terminal of a given width, and into a pipe."""

from __future__ import annotations

import io
import re

import numpy as np
import pyarrow as pa
import pytest

from windrow.delta import Delta
from windrow.schema import Schema
from windrow.sinks.console import ConsoleSink

SCHEMA = Schema.of(("item", "VARCHAR"), ("price", "DOUBLE"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "50")
    return Terminal()


def printed(file: io.StringIO, *deltas: Delta, rows: int | None = None) -> str:
    sink = ConsoleSink(rows, file=file)
    sink.open(SCHEMA)
    for number, delta in enumerate(deltas):
        sink.write(number, delta)
    sink.close()
    return file.getvalue()


def delta_of(items: list[str | None], signs: list[int] | None = None) -> Delta:
    rows = pa.table({"item": pa.array(items, pa.string()), "price": [1.5 * i for i in range(len(items))]})
    return Delta(9, rows, np.arange(len(items)), sign=None if signs is None else np.array(signs, np.int8))


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_pipe_gets_plain_lines_with_one_header() -> None:
    text = printed(io.StringIO(), delta_of(["pen", None]), delta_of([]), delta_of(["[red]cup"], [-1]))
    assert text.splitlines() == [
        '"op","ts","item","price"',
        '"+I",1970-01-01 00:00:00.000000,"pen",0',
        '"+I",1970-01-01 00:00:00.000001,,1.5',
        '"-D",1970-01-01 00:00:00.000000,"[red]cup",0',
    ]


def test_a_pipe_gets_every_row() -> None:
    assert len(printed(io.StringIO(), delta_of(["pen"] * 500)).splitlines()) == 501


def test_a_pipe_with_a_limit_says_what_is_left_out() -> None:
    lines = printed(io.StringIO(), delta_of(["pen"] * 1237), rows=3).splitlines()
    assert len(lines) == 5
    assert lines[-1] == "… and 1,234 more"


def test_a_terminal_gets_an_aligned_table_with_colours(terminal: Terminal) -> None:
    text = printed(terminal, delta_of(["pen", "cup"], [1, -1]))
    assert "\x1b[32m+I" in text
    assert "\x1b[31m-D" in text
    lines = [line.rstrip() for line in plain(text).splitlines()]
    assert lines == [
        "op  ts                          item  price",
        "+I  1970-01-01 00:00:00         pen     0.0",
        "-D  1970-01-01 00:00:00.000001  cup     1.5",
    ]


def test_a_terminal_gets_twenty_rows_and_a_count_of_the_rest(terminal: Terminal) -> None:
    lines = plain(printed(terminal, delta_of(["pen"] * 1254))).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "… and 1,234 more"


def test_a_table_fits_the_width_of_the_terminal(terminal: Terminal) -> None:
    text = plain(printed(terminal, delta_of(["a long name\nof two lines" * 10, None])))
    assert all(len(line) <= 50 for line in text.splitlines())
    assert len(text.splitlines()) == 3
    assert "…" in text
    assert "NULL" in text


def test_text_that_looks_like_markup_is_printed_as_it_is(terminal: Terminal) -> None:
    assert "[bold]x" in plain(printed(terminal, delta_of(["[bold]x"])))


def test_a_batch_given_again_is_not_printed_again() -> None:
    file = io.StringIO()
    sink = ConsoleSink(file=file)
    sink.open(SCHEMA)
    for batch in (3, 3):
        sink.write(batch, delta_of(["pen"]))
    assert file.getvalue().count("pen") == 1
