"""What a demo shows: the newest answers first, and lines where there is no terminal."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest
from rich.console import Console

import windrow
from windrow import Database
from windrow.cli.demo_screen import PlainScreen, Shown, TerminalScreen, shown


@pytest.fixture
def db() -> Iterator[Database]:
    with windrow.connect(runner="inline") as database:
        database.execute("CREATE STREAM S (n INT); CREATE QUERY all_numbers AS SELECT n FROM S;")
        yield database


def arrive(db: Database, *numbers: int) -> None:
    db.push("S", [(number,) for number in numbers])
    db.run_until_idle()


def drawn(newest: Shown) -> list[str]:
    console = Console(file=io.StringIO(), width=40)
    console.print(newest.drawn(40))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_the_newest_rows_come_first_and_all_are_counted(db: Database) -> None:
    newest = shown(db.queries["all_numbers"], keep=3)
    arrive(db, 1, 2)
    newest.take()
    arrive(db, 3, 4)
    newest.take()
    assert drawn(newest) == ["all numbers  4 rows", "n", "─", "4", "3", "2", ""]


def test_of_an_answer_that_changes_its_rows_are_shown_as_they_stand(db: Database) -> None:
    db.execute("CREATE QUERY largest AS SELECT n FROM S [ROWS 3] ORDER BY n DESC LIMIT 2")
    largest = shown(db.queries["largest"], keep=2)
    arrive(db, 4, 9, 7)
    arrive(db, 1, 2)
    largest.take()
    assert drawn(largest) == ["largest  6 changes", "n", "─", "7", "2", ""]


def test_a_table_keeps_its_height(db: Database) -> None:
    newest = shown(db.queries["all_numbers"], keep=3)
    newest.take()
    empty = len(drawn(newest))
    arrive(db, *range(10))
    newest.take()
    assert len(drawn(newest)) == empty == 7


def test_a_terminal_is_never_overfull(db: Database) -> None:
    arrive(db, *range(100))
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=40, height=12, color_system=None)
    with TerminalScreen(console, list(db.queries.values()), seconds=5) as screen:
        screen.show(db.metrics())
    _, *frames = file.getvalue().split("all numbers")
    assert max(len(frame.splitlines()) for frame in frames) <= 12


def test_a_pipe_gets_a_line_every_other_second(db: Database) -> None:
    arrive(db, 1, 2, 3)
    seconds = iter([0.0, 1.0, 2.5, 2.5, 3.0, 4.5, 4.5])
    console = Console(file=io.StringIO())
    with PlainScreen(console, list(db.queries.values()), now=lambda: next(seconds)) as screen:
        for _ in range(4):
            screen.show(db.metrics())
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert [line[:6].split()[0] for line in lines] == ["2", "4"]
    assert lines[0].endswith("all_numbers 3")
