"""Processes that may die, and all that they started; places that run out of room."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import pytest

PATIENCE = 100.0
_MARK = "WINDROW_TEST_FAMILY"


def eventually(holds: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, f"not within {patience:g} s: {what}"
        time.sleep(0.02)


class Family:
    """A process and all that it starts, however they part: they inherit a mark."""

    def __init__(
        self, command: list[str], folder: Path, variables: Mapping[str, str] | None = None
    ) -> None:
        self._mark = uuid.uuid4().hex
        self._folder = folder
        temporary = folder / "tmp"
        temporary.mkdir(parents=True, exist_ok=True)
        environment = os.environ | {
            _MARK: self._mark,
            "TMPDIR": str(temporary),
            "SPARK_LOCAL_DIRS": str(temporary),
            "JDK_JAVA_OPTIONS": " ".join(
                (os.environ["JDK_JAVA_OPTIONS"], f"-Djava.io.tmpdir={temporary}", "-XX:-UsePerfData")
            ),
            "HOME": str(folder),
            "COLUMNS": "200",
            **(variables or {}),
        }
        self._said = folder / f"said-{self._mark}"
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(
                command, env=environment, cwd=folder, stdout=said, stderr=said, start_new_session=True
            )

    @property
    def said(self) -> str:
        """What its members wrote."""
        lines = self._said.read_text(errors="replace").splitlines(keepends=True)
        return "".join(
            line for line in lines if not line.startswith(("NOTE: Picked up", "WARNING: Using incubator"))
        )

    @property
    def temporary_files(self) -> list[str]:
        return sorted(path.name for path in (self._folder / "tmp").iterdir())

    def members(self) -> dict[int, str]:
        """The processes of the family that are alive, and their commands."""
        return {
            int(entry.name): command
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and (command := self._command(entry))
        }

    def _command(self, entry: Path) -> str | None:
        try:
            marked = f"{_MARK}={self._mark}".encode() in (entry / "environ").read_bytes().split(b"\0")
            return (entry / "cmdline").read_bytes().decode(errors="replace") if marked else None
        except OSError:
            return None

    def until(self, holds: Callable[[], object], what: str, patience: float = PATIENCE) -> None:
        def holds_or_ended() -> bool:
            if holds():
                return True
            assert self.process.poll() is None, f"it ended before: {what}\n{self.said}"
            return False

        eventually(holds_or_ended, f"{what}\n{self.said}", patience)

    def kill(self) -> None:
        """kill -9 of the first of the family, and of no other."""
        self.process.kill()
        self.process.wait()

    def interrupt(self) -> None:
        """Ctrl-C: the terminal sends it to all of the group."""
        os.killpg(self.process.pid, signal.SIGINT)

    def wait(self) -> int:
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not end\n{self.said}") from None

    def is_gone(self, patience: float = 30) -> None:
        """The others end when the first has, and nobody has to kill them."""
        eventually(lambda: not self.members(), f"all end: {self.members()}", patience)

    def close(self) -> None:
        for process in self.members():
            os.kill(process, signal.SIGKILL)
        self.process.wait()


class Start(Protocol):
    def __call__(self, *command: str) -> Family: ...


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts Python with these arguments."""
    families: list[Family] = []

    def start_family(*arguments: str) -> Family:
        families.append(Family([sys.executable, *arguments], tmp_path))
        return families[-1]

    yield start_family
    for family in families:
        family.close()


@pytest.fixture
def windrow(start: Start) -> Start:
    """Starts the command."""
    return lambda *arguments: start("-c", "from windrow.cli.main import main; main()", *arguments)


def listens(port: int) -> bool:
    """Whether somebody takes connections there; nothing is sent."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def free_port() -> int:
    """One that the system gives to nobody by itself, so that it stays free between two uses."""
    while True:
        port = random.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Room:
    """A small file system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self) -> None:
        """Take all the space that is left."""
        statistics = os.statvfs(self.path)
        with contextlib.suppress(OSError), self._ballast.open("ab") as file:
            file.write(bytes(statistics.f_bavail * statistics.f_frsize))

    def clear(self) -> None:
        self._ballast.unlink()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Room]:
    """A file system of 16 MB, where the tests may mount one."""
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(path)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small disk: {mounted.stderr.strip()}")
    try:
        yield Room(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)
