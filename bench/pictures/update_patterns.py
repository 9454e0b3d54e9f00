"""The pictures of docs/update-patterns.md: python -m bench.pictures.update_patterns draws them anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import windrow
from windrow.buffers.calendar import CalendarQueue
from windrow.plan.nodes import Node, Project
from windrow.plan.patterns import Pattern

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"
NOON = datetime(2026, 1, 1, 12)
COLOURS = {
    Pattern.MON: "#6b8e4e",
    Pattern.WKS: "#3b6ea5",
    Pattern.WK: "#c9962b",
    Pattern.STR: "#b5462f",
}
_STYLE: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "windrow", "font.size": 9}

TUPLES = {
    "S": [("a", 1), ("b", 2), ("a", 4), ("c", 5), ("a", 8), ("b", 9)],
    "R": [("a", 0), ("c", 2), ("b", 6)],
}
"""Values and seconds."""
SHOWN = (
    ("WKS: a selection. First in, first out", "SELECT v FROM S [RANGE 5 SECONDS] WHERE v <> 'c'"),
    (
        "WK: a join. Ends are known, but come in another order",
        "SELECT l.v FROM S [RANGE 5 SECONDS] AS l JOIN R [RANGE 5 SECONDS] AS r ON l.v = r.v",
    ),
    (
        "STR: a count by group. Nobody can foresee the ends",
        "SELECT v, count(*) AS n FROM S [RANGE 5 SECONDS] GROUP BY v",
    ),
    (
        "MON: the selection, of an internal window. Nothing ends",
        "SELECT v FROM S [RANGE 5 SECONDS INTERNAL] WHERE v <> 'c'",
    ),
)
QUERY = """
    SELECT j.v, count(*) AS n FROM (
        SELECT l.v FROM S [RANGE 5 SECONDS] AS l JOIN R [RANGE 5 SECONDS] AS r ON l.v = r.v
    ) AS j GROUP BY j.v
"""
UNTIL = 16


def draw_all(folder: Path) -> None:
    """Write the pictures; the same code gives the same files."""
    pictures: dict[str, Callable[[], Figure]] = {
        "lifetimes": lifetimes,
        "calendar": calendar,
        "plans": plans,
    }
    with mpl.rc_context(_STYLE):
        for name, picture in pictures.items():
            picture().savefig(folder / f"{name}.svg", metadata={"Date": None})


def lifetimes() -> Figure:
    """When results begin and end, under each pattern."""
    figure = Figure(figsize=(8, 6.4), layout="constrained")
    panels = figure.subplots(len(SHOWN), 1, sharex=True)
    with _database() as db:
        queries = [db.query(sql) for _, sql in SHOWN]
        _feed(db)
        for axes, (title, _), query in zip(panels, SHOWN, queries, strict=True):
            pattern = Pattern[title.partition(":")[0]]
            for place, (label, begin, end) in enumerate(_lives(query)):
                axes.plot(
                    [begin, end], [place, place], color=COLOURS[pattern], linewidth=4, solid_capstyle="butt"
                )
                axes.annotate(
                    label,
                    (begin, place),
                    (-4, 0),
                    textcoords="offset points",
                    ha="right",
                    va="center",
                    fontsize=8,
                )
            axes.set_title(title, loc="left", fontsize=10)
            axes.invert_yaxis()
            axes.set_yticks([])
            axes.spines[["top", "right", "left"]].set_visible(False)
    panels[-1].set_xlim(-1, UNTIL)
    panels[-1].set_xlabel("seconds")
    return figure


def _database() -> windrow.Database:
    db = windrow.connect(runner="inline")
    db.execute("".join(f"CREATE STREAM {name} (v VARCHAR, ts TIMESTAMP) ORDER BY ts;" for name in TUPLES))
    return db


def _feed(db: windrow.Database) -> None:
    for name, tuples in TUPLES.items():
        db.push(name, [(value, NOON + timedelta(seconds=second)) for value, second in tuples])
        db.advance(name, NOON + timedelta(seconds=UNTIL))
    db.run_until_idle()


def _lives(query: windrow.Query) -> list[tuple[str, float, float]]:
    """What was in the answer, in the order in which it came, and from when until when."""
    lives: list[tuple[str, float, float]] = []
    for change in query.changes().to_pylist():
        op, at = change.pop("op"), (change.pop("ts") - NOON).total_seconds()
        label = " ".join(map(str, change.values()))
        if op.startswith("+"):
            lives.append((label, at, UNTIL))
            continue
        place = next(place for place, life in enumerate(lives) if life[0] == label and life[2] == UNTIL)
        lives[place] = (label, lives[place][1], at)
    return lives


def calendar() -> Figure:
    """The ends of rows in a calendar queue: a column for each day of its year."""
    queue = CalendarQueue()
    ends = np.random.default_rng(3).integers(20, 150, 65)
    queue.insert(np.arange(len(ends)), ends)
    width, days = queue.width, queue.days
    clock, looked_at = 44, queue.probes
    ended, _ = queue.expire_until(clock)
    figure = Figure(figsize=(8, 2.4), layout="constrained")
    axes = figure.subplots()
    filled = dict.fromkeys(range(days), 0)
    for end in np.sort(ends).tolist():
        day = end // width % days
        colour = COLOURS[Pattern.STR if end <= clock else Pattern.WKS]
        axes.plot(day, filled[day], "o", color=colour, markersize=6)
        filled[day] += 1
    today = clock // width % days + 0.5
    axes.axvline(today, color="#5f6b76", linewidth=1, linestyle="--")
    axes.annotate(f"clock {clock}", (today, max(filled.values())), (4, -2), textcoords="offset points")
    axes.set_ylim(-0.8, max(filled.values()) + 0.4)
    axes.set_xlabel(f"day: the end, by {width}, in a year of {days} days")
    axes.set_yticks([])
    looks = queue.probes - looked_at
    title = f"{len(ended)} of {len(ends)} rows have ended; {looks} entries and days were looked at"
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right", "left"]].set_visible(False)
    return figure


def plans() -> Figure:
    """The same query under two strategies."""
    figure = Figure(figsize=(8, 5.6), layout="constrained")
    with _database() as db:
        for axes, how in zip(figure.subplots(1, 2), ("upa", "negative"), strict=True):
            db.execute(f"SET expiration = {how}")
            _draw_plan(axes, db.query(QUERY).plan)
            axes.set_title(how, fontsize=10)
    return figure


def _draw_plan(axes: Axes, plan: Node) -> None:
    placed = list(_placed(plan, 0, iter(range(9))))
    for node, x, y, above in placed:
        colour = COLOURS[node.pattern]
        if above is not None:
            axes.plot([x, above[0]], [y, above[1]], color=colour, linewidth=2, zorder=1)
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": colour}
        text = f"{node.label}\n{node.pattern.name}"
        axes.text(x, y, text, ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    axes.set_xlim(min(x for _, x, _, _ in placed) - 0.6, max(x for _, x, _, _ in placed) + 0.6)
    axes.set_ylim(min(y for _, _, y, _ in placed) - 0.6, 0.6)
    axes.axis("off")


Spot = tuple[float, float]


def _placed(
    node: Node, depth: int, columns: Iterator[int], above: Spot | None = None
) -> Iterator[tuple[Node, float, float, Spot | None]]:
    """Nodes with where they are drawn, and where the one above is; renaming is left out."""
    if isinstance(node, Project):
        yield from _placed(node.input, depth, columns, above)
        return
    inputs = node.inputs
    below = [list(_placed(each, depth + 1, columns)) for each in inputs]
    x = float(np.mean([each[0][1] for each in below])) if below else float(next(columns))
    spot = (x, -float(depth))
    yield node, *spot, above
    for each in below:
        top, *rest = each
        yield top[0], top[1], top[2], spot
        yield from rest


if __name__ == "__main__":
    draw_all(FOLDER)
