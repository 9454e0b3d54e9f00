"""Finding the Java that Spark runs on: JAVA_HOME, then the path, then where Debian installs them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from windrow.errors import RunnerError

OLDEST = 17
"""Spark 4 needs it."""
INSTALLED = Path("/usr/lib/jvm")


@dataclass(frozen=True, slots=True)
class Java:
    """A Java installation; `home` is what JAVA_HOME should say."""

    home: Path
    version: int

    def __str__(self) -> str:
        return f"Java {self.version} in {self.home}"


def find_java(environ: Mapping[str, str] = os.environ, installed: Path = INSTALLED) -> Java | None:
    """The first Java that is new enough, or None. Of those installed side by side, the oldest."""
    named = (_java_at(home) for home in _named_homes(environ))
    beside = sorted(filter(None, map(_java_at, _homes_in(installed))), key=lambda java: java.version)
    candidates = (*filter(None, named), *beside)
    return next((java for java in candidates if java.version >= OLDEST), None)


def require_java(environ: Mapping[str, str] = os.environ, installed: Path = INSTALLED) -> Java:
    """The Java to run Spark on."""
    if java := find_java(environ, installed):
        return java
    raise RunnerError(
        f"Spark needs Java {OLDEST} or later; JAVA_HOME, the path and {installed} have none",
        hint="apt-get install openjdk-17-jre-headless, or set JAVA_HOME; or use the inline runner",
    )


def _named_homes(environ: Mapping[str, str]) -> Iterator[Path]:
    if home := environ.get("JAVA_HOME"):
        yield Path(home)
    if program := shutil.which("java", path=environ.get("PATH", "")):
        yield Path(program).resolve().parent.parent


def _homes_in(folder: Path) -> list[Path]:
    return sorted({path.resolve() for path in folder.iterdir()}) if folder.is_dir() else []


def _java_at(home: Path) -> Java | None:
    program = home / "bin" / "java"
    if not os.access(program, os.X_OK):
        return None
    version = _version_in(home / "release") or _version_told_by(program)
    return None if version is None else Java(home, version)


def _version_in(release: Path) -> int | None:
    """From the file in which every JDK since 9 says what it is: no process has to start."""
    if not release.is_file():
        return None
    return _number(
        re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', release.read_text(errors="replace"), re.MULTILINE)
    )


def _version_told_by(program: Path) -> int | None:
    try:
        told = subprocess.run(
            [program, "-version"], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return _number(re.search(r'version "(?:1\.)?(\d+)', told.stderr))


def _number(found: re.Match[str] | None) -> int | None:
    return int(found[1]) if found else None


if __name__ == "__main__":
    java = find_java()
    sys.stdout.write(f"{java or f'no Java {OLDEST} or later found'}\n")
    sys.exit(java is None)
