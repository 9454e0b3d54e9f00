"""How a failure is told, and what the shell sees: no traceback ever reaches the screen.

1     what an ASSERT says is not so: the sentence and the place, and where it is about rows, both tables
2     an error that windrow raises on purpose: the sentence, the place in the statement, the hint
70    anything else: one line, and the file that holds the traceback
130   interrupted (128 + SIGINT); 143 and 129 for SIGTERM and SIGHUP
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Callable

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from windrow.cli.console import err
from windrow.cli.signals import Terminated
from windrow.errors import AssertionFailed, Error, Span, StatementError

FAILED, WRONG, UNEXPECTED, INTERRUPTED = 1, 2, 70, 130
_TAB = "    "


def guarded(command: Callable[[], object], *, origin: str | None = None) -> int:
    """The exit code of a command, whatever happens in it; `origin` is the file that it runs."""
    try:
        command()
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
    except Terminated as end:
        return 128 + end.signal
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _forget_standard_output()
        return 0
    except Exception as error:
        return report(error, origin=origin)
    return 0


def report(error: Exception, *, origin: str | None = None, console: Console | None = None) -> int:
    """Tell of a failure, and give the exit code for it."""
    console = console or err()
    if isinstance(error, Error):
        console.print(described(error, origin, console.width), soft_wrap=True)
        return FAILED if isinstance(error, AssertionFailed) else WRONG
    path = _keep_traceback(error)
    message = Text.assemble(
        ("error: ", "bold red"), f"unexpected {type(error).__name__}: {_one_line(error)}"
    )
    console.print(message, soft_wrap=True)
    console.print(Text.assemble(("hint: ", "cyan"), f"the full traceback is in {path}"), soft_wrap=True)
    return UNEXPECTED


def described(error: Error, origin: str | None, width: int) -> Text:
    """The error with the culprit under a caret, and the hint."""
    failed = isinstance(error, AssertionFailed)
    text = Text.assemble(("failed: " if failed else "error: ", "bold red"))
    if isinstance(error, StatementError):
        file = "" if origin is None else f"{origin}, "
        text.append(f"{file}line {error.line}, column {error.column}: ", "bold")
        text.append(f"{error.message}\n")
        text.append(_drawn(error.span, width))
    else:
        text.append(error.message)
    if error.hint is not None:
        text.append("\nhint: ", "cyan")
        text.append(error.hint)
    if isinstance(error, AssertionFailed) and error.difference is not None:
        from windrow.cli.differences import drawn  # only failures need DuckDB

        text.append("\n").append(drawn(error.difference))
    return text


def _drawn(span: Span, width: int) -> Text:
    """The line of text with a caret under the culprit; of a long line, the part around it."""
    start = span.column - 1
    before, culprit = span.text[:start], span.text[start : start + max(1, span.length)]
    after = span.text[start + len(culprit) :]
    before, culprit, after = (part.replace("\t", _TAB) for part in (before, culprit, after))
    room = max(20, width - 4)
    if cell_len(before) > room // 2 and cell_len(before + culprit + after) > room:
        before = "…" + before[-(room // 2) :]
    line = Text(f"  {before}{culprit}{after}", no_wrap=True)
    line.truncate(room + 2, overflow="ellipsis")
    carets = "^" * max(1, min(cell_len(culprit), room - cell_len(before)))
    return Text.assemble(line, f"\n  {' ' * cell_len(before)}", (carets, "bold red"))


def _one_line(error: Exception) -> str:
    """What an error says of itself, if it does: one from the JVM cannot when the JVM is gone."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:
        lines = []
    return lines[0] if lines else "no message"


def _keep_traceback(error: Exception) -> str:
    with tempfile.NamedTemporaryFile("w", prefix="windrow-", suffix=".log", delete=False) as file:
        file.write(f"{' '.join(sys.argv)}\n\n")
        file.writelines(traceback.format_exception(error))
    return file.name


def _forget_standard_output() -> None:
    """Whoever read our output has gone; keep the interpreter from complaining when it flushes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
