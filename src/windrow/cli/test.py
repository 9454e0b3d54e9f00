"""`windrow test`: scripts with ASSERT, each in a database of its own and on a clock moved by hand."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.text import Text

from windrow.cli.arguments import script_text
from windrow.cli.console import out
from windrow.cli.failures import FAILED, report
from windrow.cli.opening import Options, opened
from windrow.cli.render import counted
from windrow.errors import Error
from windrow.language.parser import parse
from windrow.language.statements import AssertError, AssertRows
from windrow.log.hand_moved import HandMovedWall


def run_scripts(paths: Sequence[str], options: Options) -> int:
    """Run all scripts and tell of each; the worst of their exit codes."""
    began = time.monotonic()
    codes = [_tried(script, options) for script in scripts(paths)]
    failed, wrong = sum(code == FAILED for code in codes), sum(code > FAILED for code in codes)
    parts = [f"{counted(len(codes), 'script')} in {time.monotonic() - began:.1f} s"]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{wrong} could not be run to the end"] if wrong else []
    style = "bold red" if failed or wrong else "bold green"
    out().print(Text(f"{'; '.join(parts)}{'' if failed or wrong else '; all as asserted'}", style))
    return max(codes)


def scripts(paths: Sequence[str]) -> Iterator[str]:
    """The scripts that are named; of a folder, all that are in it, and in its folders."""
    for path in paths:
        if not Path(path).is_dir():
            yield path
        elif found := sorted(Path(path).rglob("*.esl")):
            yield from map(str, found)
        else:
            raise Error(f"{path} has no scripts", hint="the names of scripts end with .esl")


def run_script(text: str, options: Options) -> int:
    """Run a script in a database of its own; how many assertions it has, all of which hold."""
    statements = parse(text)
    with opened(options, wall_clock=HandMovedWall()) as db:
        db.execute(text)
    return sum(isinstance(statement, AssertRows | AssertError) for statement in statements)


def _tried(script: str, options: Options) -> int:
    try:
        count = run_script(script_text(script), options)
    except Exception as error:
        return report(error, origin=script, console=out())
    told = f"{script}, {counted(count, 'assertion')}"
    out().print(Text.assemble(("ok: ", "green"), told), soft_wrap=True)
    return 0
