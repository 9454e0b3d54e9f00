"""`windrow demo`: it shows what it promises, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from windrow.cli.demo import script_of
from windrow.language.parser import parse

SCENES = {
    "auctions": ("dearest_items", "unwanted_items", "big_raises"),
    "packets": ("top_talkers", "double_logins", "on_one_link_only"),
    "rfid": ("busy_lines", "unattended", "whereabouts"),
}


def left_of(home: Path) -> list[str]:
    """The commands of the processes that live on in an environment of ours."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.fsencode(home) in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


def gone(home: Path) -> bool:
    """Whether they all end within the moments that a dying process takes."""
    deadline = time.monotonic() + 10
    while left := left_of(home):
        if time.monotonic() > deadline:
            raise AssertionError(f"still there: {left}")
    return True


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_has_a_script(scene: str) -> None:
    assert len(parse(script_of(scene))) >= 4


@pytest.mark.parametrize("scene", SCENES)
def test_a_pipe_gets_lines_and_a_summary(windrow: Callable, scene: str, home: Path) -> None:
    done = windrow("demo", scene, "--runner", "inline", "--seconds", "3")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert any(re.match(r" +\d s   in ", line) for line in lines)
    for query in SCENES[scene]:
        (told,) = [line for line in lines if line.startswith(f"{query} ")]
        assert int(told.split("│")[1]) > 0
    assert "Try next:" in lines
    assert list((home / "tmp").iterdir()) == []


def test_a_terminal_gets_tables_that_change(terminal: Callable) -> None:
    process = terminal("demo", "--runner", "inline", "--seconds", "3", width=100)
    process.expect("dearest items")
    process.expect("highest")
    process.expect("unwanted items")
    process.expect("big raises")
    process.expect("tuples/s")
    process.expect("Ctrl-C ends")
    process.expect("3 of 3 s")
    process.expect("Try next:")
    assert process.wait() == 0


def test_ctrl_c_ends_it_with_a_summary(terminal: Callable, home: Path) -> None:
    process = terminal("demo", "--runner", "inline")
    process.expect("Ctrl-C ends")
    process.type("\x03")
    process.expect("tuples in within")
    assert process.wait() == 130
    assert "Traceback" not in process.text
    assert list((home / "tmp").iterdir()) == []


def test_a_scene_that_there_is_not_is_told(windrow: Callable) -> None:
    done = windrow("demo", "opera")
    assert done.returncode == 2
    assert "auctions" in done.stderr


@pytest.mark.spark
def test_spark_shows_it_and_leaves_nothing(terminal: Callable, home: Path) -> None:
    process = terminal("demo", "--master", "local[2]", "--seconds", "2", width=100)
    process.expect("starting Spark")
    process.expect("Ctrl-C ends")
    process.expect("Try next:")
    assert process.wait() == 0
    assert gone(home)
    assert list((home / "tmp").iterdir()) == []


@pytest.mark.spark
@pytest.mark.parametrize(
    ("moment", "sent", "code"),
    [
        ("starting Spark", signal.SIGINT, 130),
        ("workers start", signal.SIGINT, 130),
        ("Ctrl-C ends", signal.SIGINT, 130),
        ("workers start", signal.SIGTERM, 143),
        ("workers start", signal.SIGHUP, 129),
    ],
)
def test_interrupted_spark_leaves_nothing(
    terminal: Callable, home: Path, moment: str, sent: signal.Signals, code: int
) -> None:
    process: Any = terminal("demo", "--master", "local[2]")
    process.expect(moment)
    process.signal(sent)
    assert process.wait() == code
    assert "Traceback" not in process.text
    assert gone(home)
    assert list((home / "tmp").iterdir()) == []
