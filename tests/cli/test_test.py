"""`windrow test`, as a user meets it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

BIDS = """\
CREATE STREAM Bid (item INT, price DOUBLE, at TIMESTAMP) ORDER BY at;
CREATE QUERY dear AS SELECT item, price FROM Bid WHERE price > 10;
INSERT INTO Bid VALUES (1, 5, '2026-01-01 12:00'), (2, 20, '2026-01-01 12:01'), (3, 30, '2026-01-01 12:02');
"""
HOLDS = (
    f"{BIDS}ASSERT ANSWER OF dear AS (VALUES (2, 20), (3, 30));\nASSERT ERROR 'x' FOR SELECT x FROM Bid;\n"
)
FAILS = f"{BIDS}ASSERT ANSWER OF dear AS\n  (VALUES (3, 30), (2, 25));\nASSERT ANSWER OF dear IS EMPTY;\n"
WRONG = f"{BIDS}SELECT pryce FROM Bid;\n"


@pytest.fixture
def check(windrow: Callable, tmp_path: Path) -> Callable[..., tuple[int, list[str]]]:
    """Runs scripts by name and text; the exit code, and the lines of standard output."""

    def check_(*options: str, **scripts: str) -> tuple[int, list[str]]:
        for name, text in scripts.items():
            (tmp_path / f"{name}.esl").write_text(text)
        done = windrow("test", "--runner", "inline", *options, *(f"{name}.esl" for name in scripts))
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()

    return check_


def test_what_holds_is_told_in_a_line(check: Callable) -> None:
    code, lines = check(holds=HOLDS, empty="")
    assert code == 0
    assert lines[:2] == ["ok: holds.esl, 2 assertions", "ok: empty.esl, 0 assertions"]
    assert lines[2].startswith("2 scripts in ")
    assert lines[2].endswith("; all as asserted")


def test_a_difference_is_two_tables_with_marks(check: Callable) -> None:
    code, lines = check(fails=FAILS)
    assert code == 1
    assert lines[:-1] == [
        "failed: fails.esl, line 4, column 1: the answer of dear:"
        " 1 row did not come and 1 row came unexpected",
        "  ASSERT ANSWER OF dear AS",
        "  ^^^^^^^^^^^^^^^^^^^^^^^^",
        "",
        "expected",
        "  item │ price",
        "  ─────┼──────",
        "     3 │  30.0",
        "-    2 │  25.0",
        "",
        "came",
        "  item │ price",
        "  ─────┼──────",
        "     3 │  30.0",
        "+    2 │  20.0",
        "",
    ]
    assert lines[-1].endswith("; 1 failed")


def test_one_that_fails_does_not_keep_the_next_from_running(check: Callable) -> None:
    code, lines = check(fails=FAILS, holds=HOLDS)
    assert code == 1
    assert "ok: holds.esl, 2 assertions" in lines


def test_one_that_cannot_run_counts_more_than_one_that_fails(check: Callable) -> None:
    code, lines = check(wrong=WRONG, fails=FAILS, broken="SELEC", holds=HOLDS)
    assert code == 2
    assert "error: wrong.esl, line 4, column 8: there is no column 'pryce'" in lines
    assert "error: broken.esl, line 1, column 1: no statement begins with 'SELEC'" in lines
    assert "ok: holds.esl, 2 assertions" in lines
    assert lines[-1].endswith("; 1 failed; 2 could not be run to the end")


def test_each_script_has_a_database_of_its_own(check: Callable) -> None:
    assert check(one=HOLDS, two=HOLDS)[0] == 0


def test_a_folder_stands_for_the_scripts_in_it(windrow: Callable, tmp_path: Path) -> None:
    (tmp_path / "some" / "more").mkdir(parents=True)
    (tmp_path / "some" / "b.esl").write_text(HOLDS)
    (tmp_path / "some" / "more" / "a.esl").write_text(HOLDS)
    done = windrow("test", "--runner", "inline", "some")
    assert done.stdout.splitlines()[:2] == [
        "ok: some/b.esl, 2 assertions",
        "ok: some/more/a.esl, 2 assertions",
    ]


def test_settings_reach_the_scripts(check: Callable) -> None:
    script = BIDS + "ASSERT CHANGES OF dear AS (VALUES (1, 2, 20), (1, 3, 30));"
    assert check("--set", "changelog=diff", script=script)[0] == 0


@pytest.mark.parametrize(
    ("path", "told"), [("none.esl", "there is no file none.esl"), (".", ". has no scripts")]
)
def test_what_is_not_there_is_told(windrow: Callable, path: str, told: str) -> None:
    done = windrow("test", "--runner", "inline", path)
    assert done.returncode == 2
    assert told in done.stdout + done.stderr


def test_an_assert_holds_in_every_script(windrow: Callable, tmp_path: Path) -> None:
    (tmp_path / "fails.esl").write_text(FAILS)
    done = windrow("run", "--runner", "inline", "--until-idle", "fails.esl")
    assert done.returncode == 1
    assert "-    2 │  25.0" in done.stderr


@pytest.mark.spark
def test_scripts_run_on_spark(windrow: Callable, tmp_path: Path) -> None:
    (tmp_path / "holds.esl").write_text(HOLDS)
    (tmp_path / "fails.esl").write_text(FAILS)
    done = windrow("test", "holds.esl", "fails.esl", "--master", "local[2]")
    assert done.returncode == 1
    assert "ok: holds.esl, 2 assertions" in done.stdout
    assert "+    2 │  20.0" in done.stdout
