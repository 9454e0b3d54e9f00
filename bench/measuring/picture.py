"""A benchmark's picture: a bar for each contender, and a line where the target lies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from bench.measuring import curves
from bench.measuring.curves import Curves
from bench.measuring.measurement import Bound, Measurement

_BAR, _OTHERS, _TARGET = "#3b6ea5", "#a9b7c6", "#b5462f"
_STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "windrow", "font.size": 10}


_CURVES = 6
"""Curves take the room of so many bars."""


def draw(measurements: Sequence[Measurement | Curves], path: Path) -> None:
    """One panel a measurement, one below the other. The same figures give the same file."""
    bars = [_CURVES if isinstance(each, Curves) else len(each.runs) for each in measurements]
    with mpl.rc_context(_STYLE):
        height = sum(0.38 * count + 1.0 for count in bars)
        figure = Figure(figsize=(8, height), layout="constrained")
        panels = figure.subplots(len(bars), 1, squeeze=False, gridspec_kw={"height_ratios": bars})
        for panel, measurement in zip(panels[:, 0], measurements, strict=True):
            if isinstance(measurement, Curves):
                curves.draw(panel, measurement)
            else:
                _panel(panel, measurement)
        figure.savefig(path, metadata={"Date": None})


def _panel(axes: Axes, measurement: Measurement) -> None:
    by_time = any(bound.by == "time" for bound in measurement.bounds)
    names = [run.name for run in measurement.runs]
    lengths = [run.median if by_time else run.rate for run in measurement.runs]
    judged = {bound.of for bound in measurement.bounds}
    colours = [_BAR if name in judged else _OTHERS for name in names]
    drawn = axes.barh(names, lengths, color=colours, height=0.6)
    label = {"facecolor": "white", "edgecolor": "none", "pad": 1}
    axes.bar_label(drawn, [_figure(length, by_time) for length in lengths], padding=4, bbox=label)
    for bound in measurement.bounds:
        _draw_target(axes, bound, dict(zip(names, lengths, strict=True)), names)
    axes.invert_yaxis()
    axes.margins(x=0.15)
    axes.set_title(measurement.title, loc="left", fontsize=11, pad=16)
    axes.set_xlabel("time" if by_time else f"{measurement.unit} a second")
    axes.xaxis.set_major_formatter(EngFormatter(unit="s" if by_time else ""))
    axes.spines[["top", "right"]].set_visible(False)


def _draw_target(axes: Axes, bound: Bound, lengths: dict[str, float], names: list[str]) -> None:
    """Across the bar that has to reach it, or stay below it."""
    limit = bound.at_least if bound.at_least is not None else bound.at_most
    if limit is None:
        return
    place = limit * (1 if bound.to is None else lengths[bound.to])
    middle = names.index(bound.of)
    axes.vlines(place, middle - 0.42, middle + 0.42, color=_TARGET, linewidth=2)
    axes.annotate(
        bound.target,
        (place, middle - 0.42),
        xytext=(0, 1),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=8,
        color=_TARGET,
    )


def _figure(length: float, by_time: bool) -> str:
    if by_time:
        return f"{length:.3f} s"
    return f"{length / 1e6:.2f} M/s" if length >= 1e6 else f"{length:,.0f}/s"
