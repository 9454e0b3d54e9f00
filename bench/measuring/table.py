"""A measurement on the screen, and as plain data for a file."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bench.measuring.measurement import Bound, Measurement, Run


def on_screen(measurement: Measurement) -> Group:
    """Times and rates of the contenders, and the bounds under them."""
    table = Table(title=measurement.title, title_justify="left", box=None, padding=(0, 3, 0, 0))
    table.add_column("")
    for heading in ("median", "fastest", "slowest", f"{measurement.unit}/s"):
        table.add_column(heading, justify="right")
    for run in measurement.runs:
        table.add_row(run.name, *_times(run), f"{run.rate:,.0f}")
    verdicts: list[RenderableType] = [_verdict(measurement, bound) for bound in measurement.bounds]
    return Group(table, *verdicts, Text(measurement.remark, style="dim"))


def as_data(measurement: Measurement) -> dict[str, Any]:
    """What the results file says of it."""
    by_name = {run.name: run for run in measurement.runs}
    return {
        "title": measurement.title,
        "unit": measurement.unit,
        "remark": measurement.remark,
        "runs": [
            {
                "name": run.name,
                "work": run.work,
                "median_seconds": round(run.median, 6),
                "per_second": round(run.rate),
                "seconds": [round(each, 6) for each in run.seconds],
            }
            for run in measurement.runs
        ],
        "figures": [
            {
                "what": described(bound),
                "value": round(measurement.value(bound), 4),
                "rounds": [round(value, 4) for value in bound.values(by_name)],
                "target": bound.target,
                "met": bound.met(measurement.value(bound)),
            }
            for bound in measurement.bounds
        ],
    }


def described(bound: Bound) -> str:
    """In words, for instance `throughput of windrow / plain Spark`."""
    return f"{bound.by} of {bound.of}" + ("" if bound.to is None else f" / {bound.to}")


def _times(run: Run) -> tuple[str, str, str]:
    return (_time(run.median), _time(min(run.seconds)), _time(max(run.seconds)))


def _time(seconds: float) -> str:
    return f"{seconds:.3f} s" if seconds >= 0.1 else f"{seconds * 1000:.2f} ms"


def _verdict(measurement: Measurement, bound: Bound) -> Text:
    value = measurement.value(bound)
    figure = f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"
    text = Text.assemble(f"{described(bound)}: ", (figure, "bold"))
    if bound.target:
        met = bound.met(value)
        text.append(f"  {'✓' if met else '✗'} {bound.target}", "green" if met else "red")
    return text
