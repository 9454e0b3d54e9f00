"""`windrow bench`: the benchmarks, which live beside the source and not in the installed package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

import windrow
from windrow.errors import Error


def checkout() -> Path:
    """The source tree that this windrow runs from, or else the one that we stand in."""
    installed = Path(windrow.__file__).resolve().parents[2]
    for folder in (installed, *(here for here in (Path.cwd(), *Path.cwd().parents))):
        if (folder / "bench" / "harness.py").is_file() and (folder / "src" / "windrow").is_dir():
            return folder
    raise Error(
        "the benchmarks are not part of the installed package",
        hint="clone the repository and run `windrow bench` inside it",
    )


def bench(names: Sequence[str], *, quick: bool) -> int:
    sys.path.insert(0, str(checkout()))
    harness = importlib.import_module("bench.harness")
    return int(harness.run(list(names), quick))
