"""How failures are told: the exit code, the caret, and never a traceback."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from windrow.cli.failures import guarded, report
from windrow.cli.signals import Terminated
from windrow.errors import Error, ParseError, SourceError, Span


def told(error: Exception, *, width: int = 80, origin: str | None = None) -> tuple[int, str]:
    file = io.StringIO()
    console = Console(file=file, width=width, color_system=None)
    return report(error, origin=origin, console=console), file.getvalue()


def test_an_error_is_a_sentence_and_a_hint() -> None:
    assert told(SourceError("port 4445 is taken", hint="choose another")) == (
        2,
        "error: port 4445 is taken\nhint: choose another\n",
    )


def test_the_culprit_has_a_caret() -> None:
    error = ParseError("no such column", Span(2, 8, 5, "SELECT pryce FROM S"), hint="did you mean price?")
    assert told(error, origin="a.esl") == (
        2,
        "error: a.esl, line 2, column 8: no such column\n"
        "  SELECT pryce FROM S\n"
        "         ^^^^^\n"
        "hint: did you mean price?\n",
    )


@pytest.mark.parametrize("before", ["SELECT ", "\tSELECT\t", "'日本', ", "x" * 500])
@pytest.mark.parametrize("after", ["", " FROM S", "y" * 500])
@pytest.mark.parametrize("width", [20, 80])
def test_the_caret_stands_under_the_culprit(before: str, after: str, width: int) -> None:
    span = Span(1, len(before) + 1, 5, f"{before}pryce{after}")
    _, text = told(ParseError("no such column", span), width=width)
    line, carets = text.splitlines()[1:3]
    assert carets.strip() == "^^^^^"
    assert cell_len(line[: line.index("pryce")]) == len(carets) - 5
    assert cell_len(line) <= max(width, 24)


def test_a_caret_past_the_end_of_the_line_is_drawn() -> None:
    _, text = told(ParseError("something is missing", Span(1, 7, 1, "SELECT")))
    assert text.splitlines()[1:] == ["  SELECT", "        ^"]


def test_markup_in_an_error_is_text() -> None:
    assert told(Error("[red]x[/red] [/]")) == (2, "error: [red]x[/red] [/]\n")


def test_an_unexpected_error_is_one_line_and_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code, text = told(ZeroDivisionError("division by zero\nand more"))
    (log,) = tmp_path.iterdir()
    assert code == 70
    assert text == (
        f"error: unexpected ZeroDivisionError: division by zero\nhint: the full traceback is in {log}\n"
    )
    assert "ZeroDivisionError" in log.read_text()


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (SystemExit(), 0),
        (SystemExit(3), 3),
        (KeyboardInterrupt(), 130),
        (Terminated(15), 143),
        (Terminated(1), 129),
        (Error("no"), 2),
    ],
)
def test_every_end_has_its_exit_code(end: BaseException, code: int) -> None:
    def command() -> None:
        raise end

    assert guarded(command) == code


def test_what_goes_well_is_0() -> None:
    assert guarded(lambda: "done") == 0
