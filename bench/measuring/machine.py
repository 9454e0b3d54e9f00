"""On what a benchmark ran: figures mean nothing without it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from windrow.java import find_java

PACKAGES = ("windrow", "pyspark", "duckdb", "numba", "numpy", "pyarrow", "sqlglot")


def machine() -> dict[str, str | int]:
    """The processor, its cores, the memory and the system."""
    return {
        "processor": _line(Path("/proc/cpuinfo"), "model name")
        or platform.processor()
        or platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": _line(Path("/proc/meminfo"), "MemTotal") or "unknown",
        "system": platform.platform(terse=True),
    }


def versions() -> dict[str, str]:
    """What took part, by version."""
    java = find_java()
    return {
        "python": platform.python_version(),
        "java": str(java.version) if java else "none",
        **{package: version(package) for package in PACKAGES},
    }


def _line(path: Path, key: str) -> str | None:
    if not path.exists():
        return None
    pairs = (line.partition(":") for line in path.read_text().splitlines())
    return next((value.strip() for name, _, value in pairs if name.strip() == key), None)
