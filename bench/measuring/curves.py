"""A figure over a range: a line for each contender, and whether what was said of it elsewhere holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

_COLOURS = ("#3b6ea5", "#b5462f", "#6b8e4e", "#8a6aa8", "#c9962b", "#5f6b76")
_MARKS = "osD^vP"


@dataclass(frozen=True, slots=True)
class Claim:
    """What the source of an experiment found."""

    text: str
    holds: bool
    figure: str
    """What was found here."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Curves:
    """One panel of a picture."""

    title: str
    across: str
    at: tuple[float, ...]
    unit: str
    lines: Mapping[str, tuple[float, ...]]
    claims: tuple[Claim, ...] = ()
    logarithmic: str = ""
    """The axes that are: x, y or xy."""
    remark: str = ""
    missed: tuple[()] = field(default=(), init=False)
    """Nothing of it is a target."""


def on_screen(curves: Curves) -> Group:
    table = Table(
        title=f"{curves.title}: {curves.unit}", title_justify="left", box=None, padding=(0, 3, 0, 0)
    )
    table.add_column(curves.across)
    for name in curves.lines:
        table.add_column(name, justify="right")
    for place, at in enumerate(curves.at):
        table.add_row(f"{at:,g}", *(f"{line[place]:,.4g}" for line in curves.lines.values()))
    told: list[RenderableType] = [_said(claim) for claim in curves.claims]
    return Group(table, *told, Text(curves.remark, style="dim"))


def as_data(curves: Curves) -> dict[str, Any]:
    return {
        "title": curves.title,
        "across": curves.across,
        "at": list(curves.at),
        "unit": curves.unit,
        "lines": {name: [_short(value) for value in line] for name, line in curves.lines.items()},
        "claims": [
            {"claim": each.text, "holds": each.holds, "figure": each.figure, "why": each.why}
            for each in curves.claims
        ],
        "remark": curves.remark,
    }


def draw(axes: Axes, curves: Curves) -> None:
    for place, (name, line) in enumerate(curves.lines.items()):
        axes.plot(curves.at, line, label=name, color=_COLOURS[place], marker=_MARKS[place], markersize=4)
    if "x" in curves.logarithmic:
        axes.set_xscale("log")
    if "y" in curves.logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_title(curves.title, loc="left", fontsize=11)
    axes.set_xlabel(curves.across)
    axes.set_ylabel(curves.unit)
    axes.grid(visible=True, color="#e4e8ec", linewidth=0.6)
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def ratio(of: Sequence[float], to: Sequence[float], place: int = -1) -> float:
    """Of two lines, at one place."""
    return of[place] / to[place]


def _said(claim: Claim) -> Text:
    text = Text("✓ " if claim.holds else "✗ ", "green" if claim.holds else "red")
    text.append(f"{claim.text}: ", "default")
    text.append(claim.figure, "bold default")
    return text.append(f" ({claim.why})" if claim.why else "", "dim")


def _short(value: float) -> float | None:
    """A figure for programs; none where nothing was measured."""
    return None if value != value else float(f"{value:.5g}")
