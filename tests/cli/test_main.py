"""The command as a whole: its help, its version, and what it does not know."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version

import pytest

VERBS = ("run", "sql", "test", "explain", "demo", "bench", "doctor")


def test_help_lists_the_verbs(windrow: Callable) -> None:
    done = windrow("--help")
    assert done.returncode == 0
    assert [verb for verb in VERBS if f" {verb} " not in done.stdout] == []


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_help_with_examples(windrow: Callable, verb: str) -> None:
    done = windrow(verb, "-h")
    assert done.returncode == 0
    assert "Examples:" in done.stdout
    assert f"windrow {verb}" in done.stdout


def test_the_version_is_that_of_the_package(windrow: Callable) -> None:
    assert windrow("--version").stdout == f"windrow {version('windrow')}\n"


@pytest.mark.parametrize(
    "arguments",
    [("fly",), ("--fast",), ("run",), ("demo", "--seconds", "0"), ("explain", "x", "--format", "png")],
)
def test_what_it_does_not_know_is_told(windrow: Callable, arguments: tuple[str, ...]) -> None:
    done = windrow(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr


def test_help_waits_for_nothing_heavy() -> None:
    heavy = ("pyspark", "numba", "prompt_toolkit", "py4j")
    program = (
        "import sys; from windrow.cli.main import app; app(['--help'], standalone_mode=False); "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr
