"""What a newcomer meets first: the list of tasks, and one line where the set-up cannot go on."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TASKS = ("setup", "demo", "test", "test-slow", "check", "bench", "docs")


def run(*command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """A command in the checkout, with nobody at its standard input."""
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_make_alone_lists_the_tasks_in_words() -> None:
    listed = run("make", MAKEFLAGS="").stdout
    for task in TASKS:
        assert re.search(rf"^ +make {task} +\w+", listed, re.MULTILINE), task


def test_without_python_one_line_says_what_to_do() -> None:
    stopped = run("setup/venv.sh", "requirements.lock", PYTHON="no-such-python")
    assert stopped.returncode == 1
    assert stopped.stderr.count("\n") == 1
    assert "install Python 3.11" in stopped.stderr


def test_an_old_python_is_refused_by_its_version(tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.9.2"\nexit 1\n')
    old.chmod(0o755)
    stopped = run("setup/venv.sh", "requirements.lock", PYTHON=str(old))
    assert stopped.returncode == 1
    assert "Python 3.9.2 is too old" in stopped.stderr


def pins(lock: str) -> dict[str, str]:
    lines = [line for line in (ROOT / lock).read_text().splitlines() if not line.startswith("#")]
    return dict(line.split("==") for line in lines)


def test_developers_run_the_versions_that_users_run() -> None:
    users, developers = pins("requirements.lock"), pins("requirements-dev.lock")
    assert users.items() <= developers.items()


@pytest.mark.parametrize("script", sorted(ROOT.glob("setup/*.sh")), ids=lambda path: path.name)
def test_scripts_stop_at_the_first_error_and_say_what_they_are(script: Path) -> None:
    assert script.stat().st_mode & 0o111, "not executable"
    first, second, third = script.read_text().splitlines()[:3]
    assert first == "#!/usr/bin/env bash"
    assert second.startswith("# ")
    assert third.startswith(("#", "set -euo pipefail"))
    assert run("bash", "-n", str(script)).returncode == 0
