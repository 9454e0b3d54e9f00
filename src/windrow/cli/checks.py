"""What windrow needs of a machine, as data: each check looks at one thing and says how to mend it."""

from __future__ import annotations

import errno
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from importlib.metadata import version
from pathlib import Path

from sqlglot.tokens import SQLGLOTC_INSTALLED

from windrow.errors import RunnerError
from windrow.java import require_java
from windrow.kernels.registry import is_warm

GIGABYTE = 2**30
PORTS = (4445, 4446, 4447)
"""Those that the examples listen on."""


class Verdict(Enum):
    """How it stands."""

    FINE = "fine"
    CONCERN = "concern"
    """Windrow works, but not everything or not well."""
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found, and what mends it unless it is fine."""

    verdict: Verdict
    found: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor's table."""

    name: str
    look: Callable[[], Finding]
    slow: bool = False


def fine(found: str) -> Finding:
    return Finding(Verdict.FINE, found)


def python_version() -> Finding:
    """Older ones cannot even read this module; the installer refuses them."""
    return fine(f"{platform.python_version()} in {sys.prefix}")


def java() -> Finding:
    try:
        return fine(str(require_java()))
    except RunnerError as error:
        return Finding(Verdict.FAILURE, error.message, error.hint or "")


def spark() -> Finding:
    """Start a session and a Python worker, in a process that takes its JVM with it."""
    command = [sys.executable, "-m", "windrow.cli.spark_probe"]
    try:
        probe = subprocess.run(
            command, capture_output=True, text=True, timeout=180, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        fix = "see that the name of this host resolves, and that it has memory to spare"
        return Finding(Verdict.FAILURE, "no session within three minutes", fix)
    if probe.returncode == 0:
        return fine(probe.stdout.strip())
    lines = [line.strip() for line in probe.stderr.splitlines() if line.strip()]
    fix = f"see the whole of it with {Path(sys.executable).name} -m windrow.cli.spark_probe"
    return Finding(Verdict.FAILURE, lines[-1] if lines else "the session ended without a word", fix)


def memory(meminfo: Path = Path("/proc/meminfo")) -> Finding:
    if not meminfo.exists():
        return fine("unknown on this system")
    sizes = dict(line.split(":") for line in meminfo.read_text().splitlines())
    available = int(sizes["MemAvailable"].split()[0]) * 1024
    found = f"{available / GIGABYTE:.1f} GB available"
    if available < 2 * GIGABYTE:
        return Finding(Verdict.CONCERN, found, "Spark wants about 2 GB; the inline runner does with less")
    return fine(found)


def disk(folder: Path | None = None) -> Finding:
    """The file system of temporary checkpoints and of Spark's shuffle files."""
    folder = folder or Path(tempfile.gettempdir())
    free = shutil.disk_usage(folder).free
    found = f"{free / GIGABYTE:.1f} GB free in {folder}"
    fix = "free some space, or set TMPDIR and --checkpoint to a larger disk"
    if not os.access(folder, os.W_OK):
        return Finding(Verdict.FAILURE, f"{folder} cannot be written", "set TMPDIR to a folder of yours")
    if free < GIGABYTE // 4:
        return Finding(Verdict.FAILURE, found, fix)
    return Finding(Verdict.CONCERN, found, fix) if free < 2 * GIGABYTE else fine(found)


def loopback() -> Finding:
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            with socket.create_connection(("127.0.0.1", port), timeout=5):
                return fine("a client reaches a server")
    except OSError as error:
        return Finding(
            Verdict.FAILURE, _reason(error), "let processes talk over 127.0.0.1 (firewall, container)"
        )


def ports(wanted: tuple[int, ...] = PORTS) -> Finding:
    taken = [port for port in wanted if not _can_bind(port)]
    if not taken:
        return fine(f"{wanted[0]}-{wanted[-1]} are free" if len(wanted) > 1 else f"{wanted[0]} is free")
    listed = ", ".join(map(str, taken))
    fix = "end the program that listens there (ss -ltnp), or give the streams other ports"
    return Finding(Verdict.CONCERN, f"taken: {listed}", fix)


def kernels() -> Finding:
    if is_warm():
        return fine("all compiled")
    fix = "windrow doctor --warm; else the first batch waits for it"
    return Finding(Verdict.CONCERN, "some are not compiled yet", fix)


def parser() -> Finding:
    """Both flavours of sqlglot serve: its classes are used as they are, never derived from."""
    flavour = "compiled" if SQLGLOTC_INSTALLED else "pure Python"
    return fine(f"sqlglot {version('sqlglot')}, {flavour}")


def _can_bind(port: int) -> bool:
    try:
        with socket.create_server(("127.0.0.1", port)):
            return True
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            return False
        raise


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


CHECKS = (
    Check("Python", python_version),
    Check("Java", java),
    Check("Spark", spark, slow=True),
    Check("memory", memory),
    Check("disk", disk),
    Check("loopback", loopback),
    Check("ports", ports),
    Check("kernels", kernels),
    Check("parser", parser),
)
