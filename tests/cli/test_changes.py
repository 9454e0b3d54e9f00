"""Changes as they come: one header for many portions, and no flood on a terminal."""

from __future__ import annotations

import io

import pyarrow as pa
from rich.console import Console

from windrow.cli.changes import ChangeLog


def changes(*names: str) -> pa.Table:
    return pa.table({"op": ["+I"] * len(names), "name": list(names)})


def a_file() -> Console:
    return Console(file=io.StringIO())


def a_terminal(height: int = 20) -> Console:
    file = io.StringIO()
    return Console(file=file, force_terminal=True, width=40, height=height, color_system=None)


def written(console: Console) -> list[str]:
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_portions_stand_under_one_header() -> None:
    console = a_terminal()
    log = ChangeLog(console)
    log.show("q", changes("anna", "ben"))
    log.show("q", changes("cleo"))
    assert written(console) == ["op │ name", "───┼─────", "+I │ anna", "+I │ ben", "+I │ cleo"]


def test_what_does_not_fit_under_the_header_gets_a_new_one() -> None:
    console = a_terminal()
    log = ChangeLog(console)
    log.show("q", changes("a"))
    log.show("q", changes("a longer name"))
    assert written(console)[-3:] == ["op │ name", "───┼──────────────", "+I │ a longer name"]


def test_a_file_has_one_header_whatever_comes() -> None:
    console = a_file()
    log = ChangeLog(console)
    log.show("q", changes("a"))
    log.show("q", changes("a longer name"))
    assert written(console) == ["op │ name", "───┼─────", "+I │ a", "+I │ a longer name"]


def test_queries_that_take_turns_are_told_apart() -> None:
    console = a_file()
    log = ChangeLog(console)
    log.show("one", changes("a"), titled=True)
    log.show("two", changes("b"), titled=True)
    log.show("two", changes("c"), titled=True)
    assert [line for line in written(console) if line in ("one", "two") or "+I" in line] == [
        "one",
        "+I │ a",
        "two",
        "+I │ b",
        "+I │ c",
    ]


def test_a_terminal_shows_the_newest_of_a_flood() -> None:
    console = a_terminal(height=10)
    ChangeLog(console).show("q", changes(*(f"n{i}" for i in range(100))))
    lines = written(console)
    assert "… 94 changes not shown" in lines
    assert lines[-1] == "+I │ n99"
    assert len(lines) < 10


def test_nothing_is_shown_of_nothing() -> None:
    console = a_file()
    ChangeLog(console).show("q", changes(), titled=True)
    assert written(console) == []
