"""Running benchmarks: `windrow bench [NAME…]`.

A benchmark is a file of this folder with a function of its own name that yields measurements:

    @benchmark("passthrough")
    def passthrough(scale: Scale) -> Iterator[Measurement]:
        rows = scale.size(full=5_000_000, quick=50_000)
        yield measure(
            "filter and project",
            {"windrow": with_windrow, "plain Spark": with_plain_spark},
            work=rows,
            rounds=scale.rounds,
            bounds=[Bound("windrow", "plain Spark", at_least=0.7)],
        )

It may also yield curves. Each gets a table on the screen, and `results/NAME.json` and `results/NAME.svg`
beside this file; a quick run leaves them under `work/` instead, where nobody takes them for results.
"""

from __future__ import annotations

import difflib
import importlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType

from bench.measuring import curves, table
from bench.measuring.curves import Curves
from bench.measuring.machine import machine, versions
from bench.measuring.measurement import Bound, Contender, Measurement, Run, Scale, measure
from bench.measuring.picture import draw
from windrow.errors import Error

__all__ = ["Bound", "Contender", "Curves", "Measurement", "Run", "Scale", "benchmark", "measure", "run"]

Benchmark = Callable[[Scale], Iterator[Measurement | Curves]]

HERE = Path(__file__).parent
_benchmarks: dict[str, Benchmark] = {}


def benchmark(name: str) -> Callable[[Benchmark], Benchmark]:
    """Declare a benchmark; `name` is that of its file."""

    def declare(function: Benchmark) -> Benchmark:
        _benchmarks[name] = function
        return function

    return declare


def names() -> list[str]:
    """All benchmarks that there are."""
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("__init__", "harness"))


def find(name: str) -> Benchmark:
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names())}"
        raise Error(f"there is no benchmark {name}", hint=hint)
    importlib.import_module(f"bench.{name}")
    return _benchmarks[name]


def run(
    wanted: Sequence[str],
    quick: bool = False,
    *,
    console: Console | None = None,
    folder: Path | None = None,
) -> int:
    """Run some benchmarks, or all; 1 if one missed a target (a quick run never does), else 0."""
    console = console or Console(highlight=False)
    folder = folder or HERE / ("work" if quick else "results")
    chosen = {name: find(name) for name in wanted or names()}
    missed = [
        name for name, function in chosen.items() if not _run_one(name, function, quick, console, folder)
    ]
    if missed and not quick:
        console.print(f"Targets missed by: {', '.join(missed)}", style="bold red")
        return 1
    return 0


def _run_one(name: str, function: Benchmark, quick: bool, console: Console, folder: Path) -> bool:
    """Whether all targets were met."""
    console.rule(name, align="left")
    measurements = []
    for measurement in function(Scale(quick)):
        console.print(_on_screen(measurement))
        measurements.append(measurement)
    folder.mkdir(parents=True, exist_ok=True)
    result = _as_data(name, quick, measurements)
    (folder / f"{name}.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    draw(measurements, folder / f"{name}.svg")
    return not any(measurement.missed for measurement in measurements)


def _on_screen(found: Measurement | Curves) -> RenderableType:
    return curves.on_screen(found) if isinstance(found, Curves) else table.on_screen(found)


def _plain(found: Measurement | Curves) -> dict[str, Any]:
    return curves.as_data(found) if isinstance(found, Curves) else table.as_data(found)


def _as_data(name: str, quick: bool, measurements: Sequence[Measurement | Curves]) -> dict[str, Any]:
    return {
        "benchmark": name,
        "quick": quick,
        "machine": machine(),
        "versions": versions(),
        "measurements": list(map(_plain, measurements)),
    }
