"""windrow as a user meets it: a process with pipes, or with a terminal that someone types on."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PATIENCE = 60.0
_WINDROW = [sys.executable, "-c", "from windrow.cli.main import main; main()"]
_ON_TERMINAL = (
    "import fcntl, os, sys, termios; "
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
_ESCAPES = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[=>78])")

Windrow = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home: no history, no temporary files of others."""
    (tmp_path / "home" / "tmp").mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    ours = {"HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "TMPDIR": str(home / "tmp")}
    kept = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")
    }
    return kept | ours | {"TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"}


@pytest.fixture
def windrow(environment: dict[str, str], tmp_path: Path) -> Windrow:
    """Runs the command to its end, in an empty folder."""

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*_WINDROW, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=environment,
            cwd=tmp_path,
        )

    return run


class Terminal:
    """A process on a terminal of its own, and what it has written there, without escape sequences."""

    def __init__(self, arguments: list[str], environment: dict[str, str], folder: Path, width: int) -> None:
        self._main, side = os.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        command = [sys.executable, "-c", _ON_TERMINAL, sys.executable, *_WINDROW[1:], *arguments]
        self.process = subprocess.Popen(
            command,
            stdin=side,
            stdout=side,
            stderr=side,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
        os.close(side)
        self._raw = b""
        self._seen = 0

    @property
    def text(self) -> str:
        """All that was written so far."""
        return _ESCAPES.sub("", self._raw.decode(errors="replace")).replace("\r", "")

    def type(self, keys: str) -> None:
        os.write(self._main, keys.encode())

    def signal(self, number: int) -> None:
        """Send a signal to all processes of the terminal, as closing it or Ctrl-C does."""
        os.killpg(self.process.pid, number)

    def expect(self, text: str) -> str:
        """Wait until the text is written, after what was waited for before; what came up to it."""
        deadline = time.monotonic() + PATIENCE
        while (place := self.text.find(text, self._seen)) < 0:
            if not self._read(deadline - time.monotonic()):
                raise AssertionError(f"no {text!r} after:\n{self.text[self._seen :]}")
        came = self.text[self._seen : place + len(text)]
        self._seen = place + len(text)
        return came

    def wait(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline - time.monotonic()):
            pass
        return self.process.wait(max(1.0, deadline - time.monotonic()))

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._main)

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._main], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            read = os.read(self._main, 65536)
        except OSError:  # Linux says so when the other side has closed
            return False
        self._raw += read
        return bool(read)


@pytest.fixture
def terminal(environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Starts the command on a terminal."""
    open_ones: list[Terminal] = []

    def start(*arguments: str, width: int = 80) -> Terminal:
        open_ones.append(Terminal(list(arguments), environment, tmp_path, width))
        return open_ones[-1]

    yield start
    for each in open_ones:
        each.close()
