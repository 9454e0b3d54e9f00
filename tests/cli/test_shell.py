"""The shell, with someone who types."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from windrow.cli.shell import complete

PROMPT = "windrow>"
ENTER, CTRL_C, CTRL_D, UP = "\r", "\x03", "\x04", "\x1b[A"
RATE = "CREATE STREAM R (value BIGINT) SOURCE 'rate://500';"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "\\d",
        "\\explain SELECT 1",
        "SELECT 1;",
        "SELECT 1; -- done",
        "SELECT /* ; */ 1;",
        "SELECT 1;\n",
        "explain select 1;",
        "-- only a word",
        "CREATE AGGREGATE f(x INT) : INT { INITIALIZE: { DELETE FROM t; } }",
    ],
)
def test_an_entry_is_complete(text: str) -> None:
    assert complete(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "SELECT ';",
        "SELECT 1 /* ;",
        "SELECT ';'",
        'SELECT ";',
        "SELECT 1 -- ;",
        "explain select 1",
        "SELECT {'a': 1}",
        "CREATE AGGREGATE f(x INT) : INT {\nTABLE t(a INT);",
        "CREATE AGGREGATE f(x INT) : INT { INITIALIZE: { DELETE FROM t; }",
    ],
)
def test_an_entry_goes_on(text: str) -> None:
    assert not complete(text)


@pytest.fixture
def shell(terminal: Callable) -> Callable:
    def start(**options: int) -> Any:
        process = terminal("sql", "--runner", "inline", **options)
        process.expect(PROMPT)
        return process

    return start


def ask(process: Any, entry: str, answer: str) -> str:
    """Type an entry and wait for its answer and for the next prompt; what was written up to it."""
    process.type(f"{entry}{ENTER}")
    came = process.expect(answer)
    process.expect(PROMPT)
    return str(came)


def leave(process: Any) -> None:
    process.type(CTRL_D)
    assert process.wait() == 0
    assert "Traceback" not in process.text


def test_a_statement_has_many_lines(shell: Callable) -> None:
    process = shell()
    process.type(f"CREATE STREAM S{ENTER}")
    process.expect("...")
    process.type(f"(a INT,{ENTER}")
    ask(process, "b VARCHAR);", "stream S created")
    assert "b      │ VARCHAR" in ask(process, "\\d s", "source: push")
    leave(process)


def test_ctrl_c_stops_the_query_and_not_the_shell(shell: Callable) -> None:
    process = shell()
    ask(process, RATE, "stream R created")
    process.type(f"SELECT value FROM R;{ENTER}")
    process.expect("+I")
    process.expect("tuples/s")
    process.type(CTRL_C)
    process.expect("has stopped")
    process.expect(PROMPT)
    ask(process, "\\queries", "0 rows")
    process.type(f"SELECT value + 1 AS next FROM R;{ENTER}")
    process.expect("│ next")
    process.expect("+I")
    process.type(CTRL_C)
    process.expect("has stopped")
    process.expect(PROMPT)
    process.type(f"\\q{ENTER}")
    assert process.wait() == 0
    assert "Traceback" not in process.text


def test_ctrl_c_at_the_prompt_clears_the_line(shell: Callable) -> None:
    process = shell()
    process.type("SELECT nonsense")
    process.expect("nonsense")
    process.type(CTRL_C)
    process.expect(PROMPT)
    assert "error" not in ask(process, "SHOW STREAMS;", "0 rows")
    leave(process)


def test_a_mistake_is_told_and_the_shell_lives_on(shell: Callable) -> None:
    process = shell()
    ask(process, "SELEC 1;", "error: line 1, column 1")
    ask(process, "\\dd", "did you mean \\d?")
    ask(process, "\\stop me", "there is no query me")
    ask(process, "\\explain", "needs a query")
    ask(process, "\\run", "no query is running")
    ask(process, "\\d nothing", "there is no stream or table nothing")
    leave(process)


def test_the_commands_answer(shell: Callable, tmp_path: Path) -> None:
    process = shell()
    assert "\\timing" in ask(process, "\\help", "Ctrl-D ends the shell")
    ask(process, RATE, "created")
    ask(process, f"INSERT INTO 'file://{tmp_path}/out' SELECT value FROM R;", "writes to")
    ask(process, "\\timing on", "timing is on")
    ask(process, "\\queries", "time: ")
    ask(process, "\\timing off", "timing is off")
    ask(process, "\\d", "1 row")
    ask(process, "\\explain q1", "Scan")
    ask(process, "\\explain SELECT value FROM R WHERE value > 5", "Scan")
    process.type(f"\\run{ENTER}")
    process.expect("tuples/s")
    process.type(CTRL_C)
    process.expect(PROMPT)
    ask(process, "\\stop q1", "query q1 has stopped")
    leave(process)


def test_tab_completes(shell: Callable) -> None:
    process = shell()
    ask(process, "CREATE STREAM Temperature (celsius INT);", "created")
    process.type("\\d Temp\t")
    process.expect("Temperature")
    ask(process, "", "celsius")
    leave(process)


def test_history_outlives_the_shell(shell: Callable) -> None:
    process = shell()
    ask(process, "SHOW STREAMS;", "0 rows")
    leave(process)
    process = shell()
    ask(process, UP, "0 rows")
    leave(process)


def test_a_narrow_terminal_is_enough(shell: Callable) -> None:
    process = shell(width=40)
    ask(process, "CREATE STREAM S (a INT, words VARCHAR);", "created")
    ask(process, "INSERT INTO S VALUES (1, repeat('long ', 50));", "1 tuple")
    process.type(f"SELECT words, a FROM S;{ENTER}")
    process.expect("│ lo")
    process.expect("…")
    process.type(CTRL_C)
    process.expect("has stopped")
    process.expect(PROMPT)
    leave(process)


@pytest.mark.spark
def test_on_spark_ctrl_c_stops_the_query_and_not_the_shell(terminal: Callable) -> None:
    process = terminal("sql", "--master", "local[2]")
    process.expect(PROMPT)
    ask(process, RATE, "stream R created")
    for column in ("first", "second"):
        process.type(f"SELECT value AS {column} FROM R;{ENTER}")
        process.expect(f"│ {column}")
        process.expect("+I")
        process.type(CTRL_C)
        process.expect("has stopped")
        process.expect(PROMPT)
    assert "error" not in process.text
    leave(process)
