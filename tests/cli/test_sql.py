"""`windrow sql` without a terminal: statements in, answers out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

TWO = (
    "CREATE STREAM S (a INT, name VARCHAR); INSERT INTO S VALUES (1, 'anna'), (2, NULL); "
    "SELECT name, a * 10 AS ten FROM S;"
)
ANSWER = "name │ ten\n─────┼────\nanna │  10\nNULL │  20\n2 rows\n"


def test_a_select_prints_its_answer(windrow: Callable) -> None:
    done = windrow("sql", "--runner", "inline", "-c", TWO)
    assert done.returncode == 0
    assert done.stdout == f"stream S created\n2 tuples inserted\n{ANSWER}"
    assert done.stderr == ""


def test_statements_come_from_a_file(windrow: Callable, tmp_path: Path) -> None:
    (tmp_path / "two.esl").write_text(TWO)
    assert windrow("sql", "--runner", "inline", "two.esl").stdout.endswith(ANSWER)


def test_statements_come_through_a_pipe(windrow: Callable) -> None:
    assert windrow("sql", "--runner", "inline", stdin=TWO).stdout.endswith(ANSWER)
    assert windrow("sql", "-", "--runner", "inline", stdin=TWO).stdout.endswith(ANSWER)


def test_answers_come_in_the_order_of_the_statements(windrow: Callable) -> None:
    done = windrow("sql", "--runner", "inline", "-c", f"{TWO} DESCRIBE S; SELECT a FROM S;")
    places = [done.stdout.index(part) for part in ("│ ten", "column │", "\na\n")]
    assert places == sorted(places)


def test_a_stream_without_end_is_read_for_a_time(windrow: Callable) -> None:
    statements = "CREATE STREAM R (value BIGINT) SOURCE 'rate://1000'; SELECT value FROM R;"
    done = windrow("sql", "--runner", "inline", "--for", "1s", "-c", statements)
    assert done.returncode == 0, done.stderr
    assert " rows" in done.stdout


def test_settings_are_taken(windrow: Callable) -> None:
    done = windrow("sql", "--runner", "inline", "--set", "batch_rows=77", "-c", "SHOW SETTINGS")
    assert "batch_rows" in done.stdout
    assert "77" in done.stdout


def test_a_wrong_setting_is_refused(windrow: Callable) -> None:
    for wrong in ("bach_rows=1", "batch_rows=x", "batch_rows", "runner=inline"):
        done = windrow("sql", "--runner", "inline", "--set", wrong, "-c", "SHOW SETTINGS")
        assert (done.returncode, done.stdout) == (2, ""), wrong
        assert "hint: " in done.stderr


def test_statements_in_two_places_are_refused(windrow: Callable) -> None:
    done = windrow("sql", "two.esl", "-c", "SHOW STREAMS")
    assert done.returncode == 2
    assert "both -c and a file" in done.stderr


def test_a_file_that_is_not_there_is_told(windrow: Callable) -> None:
    done = windrow("sql", "nothing.esl")
    assert done.returncode == 2
    assert "there is no file nothing.esl" in done.stderr
