"""A plan for people and programs: as text, as JSON, or as a drawing for Graphviz.

Each step is shown with the update pattern of its output, how many tuples go over that edge and how many
the step remembers, how its tuples are distributed, the stage that it runs in, and the columns that it
gives; below it, what the plan costs, and what the plans would cost that it was chosen from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

from windrow.errors import Error
from windrow.plan.choosing import Alternative
from windrow.plan.cost import cost
from windrow.plan.description import Described, compact, described, significant
from windrow.plan.distribute import distribute
from windrow.plan.estimates import Estimator
from windrow.plan.nodes import Node, origins
from windrow.plan.patterns import Pattern
from windrow.plan.statistics import Statistics

Format = Literal["text", "json", "dot"]

SHOWN = 6
"""So many alternatives fit beside a plan."""

_COLOURS = {
    Pattern.MON: "#d9ead3",
    Pattern.WKS: "#cfe2f3",
    Pattern.WK: "#fff2cc",
    Pattern.STR: "#f4cccc",
}
"""By update pattern: the harder, the warmer."""


@dataclass(frozen=True, slots=True)
class _Explained:
    root: Described
    cost: float
    alternatives: Sequence[Alternative]
    """The chosen one first."""
    guessed: tuple[str, ...]
    """Streams and relations of which nothing was known."""


def explain(
    node: Node,
    format: Format = "text",
    statistics: Statistics | None = None,
    alternatives: Sequence[Alternative] = (),
) -> str:
    """A plan, after `choose` or `optimize`, in one of the formats; ends with a newline."""
    if format not in _FORMATS:
        raise Error(f"no format '{format}' for EXPLAIN", hint=f"formats are: {', '.join(_FORMATS)}")
    known = statistics or Statistics()
    plan, estimator = distribute(node), Estimator(known)
    seen = {name for name, _ in known.seen}
    guessed = tuple(name for name in origins(plan) if name.lower() not in seen)
    explained = _Explained(described(plan, estimator), cost(plan, estimator), alternatives, guessed)
    return _FORMATS[format](explained)


def _text(explained: _Explained) -> str:
    head = ("plan", "pattern", "rate", "keeps", "distribution", "stage", "columns")
    tree = _table([head, *_rows(explained.root, "", "")])
    return "\n".join([tree, *_costs(explained), ""])


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = (
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in padded)


def _rows(step: Described, first: str, rest: str) -> Iterator[tuple[str, ...]]:
    """A line for each step of a tree. `first` is drawn before the step's line, `rest` before those
    of its inputs."""
    columns = ", ".join(f"{field.name} {field.type}" for field in step.schema)
    told = step.pattern.name, step.rate, step.keeps, step.distribution, str(step.stage), columns
    yield f"{first}{step.title}", *told
    for place, each in enumerate(step.inputs):
        last = place == len(step.inputs) - 1
        yield from _rows(each, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))


def _costs(explained: _Explained) -> Iterator[str]:
    """What the plan costs, and others, as a few lines."""
    total = f"{compact(explained.cost)} tuples touched a second"
    if explained.guessed:
        total += f"; what is not known of {', '.join(explained.guessed)} is guessed"
    yield total
    others = explained.alternatives[1:]
    if not others:
        return
    yield f"chosen: {_steps(explained.alternatives[0])}"
    yield from (f"  {compact(each.cost):>5} instead: {_steps(each)}" for each in others[:SHOWN])
    if len(others) > SHOWN:
        yield f"  and {len(others) - SHOWN} more that cost as much or more"


def _steps(alternative: Alternative) -> str:
    """The rules that lead to a plan, in words."""
    return ", ".join(alternative.steps).replace("_", " ") or "as written"


def _json(explained: _Explained) -> str:
    data = {
        "plan": _as_data(explained.root),
        "cost": significant(explained.cost),
        "guessed": list(explained.guessed),
        "alternatives": [
            {"rules": list(each.steps), "cost": significant(each.cost), "chosen": place == 0}
            for place, each in enumerate(explained.alternatives)
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _as_data(step: Described) -> dict[str, Any]:
    return {
        "node": step.label,
        "detail": step.detail,
        "pattern": step.pattern.name,
        "rate": significant(step.estimate.rate),
        "negatives": significant(step.estimate.negatives),
        "live": significant(step.estimate.live),
        "keeps": significant(step.estimate.state),
        "distribution": step.distribution,
        "stage": step.stage,
        "columns": [{"name": field.name, "type": field.type} for field in step.schema],
        "inputs": [_as_data(each) for each in step.inputs],
    }


def _dot(explained: _Explained) -> str:
    numbered = list(_numbered(explained.root, count()))
    costs = "\\l".join(map(_escaped, _costs(explained)))
    lines = ["digraph plan {", f'  rankdir="BT"; labeljust="l"; label="{costs}\\l"']
    lines += ['  node [shape="box", style="filled,rounded"]']
    for stage in sorted({each.stage for _, each, _ in numbered}):
        lines += [f"  subgraph cluster_{stage} {{", f'    label="stage {stage}"']
        lines += [f"    {_drawn(number, each)}" for number, each, _ in numbered if each.stage == stage]
        lines += ["  }"]
    for number, each, parent in numbered:
        if parent is not None:
            lines += [f'  n{number} -> n{parent} [label="{each.pattern.name}\\n{each.rate}"]']
    return "\n".join([*lines, "}", ""])


def _numbered(
    step: Described, numbers: Iterator[int], parent: int | None = None
) -> Iterator[tuple[int, Described, int | None]]:
    """Each step with a number of its own and that of the step above it."""
    number = next(numbers)
    yield number, step, parent
    for each in step.inputs:
        yield from _numbered(each, numbers, number)


def _drawn(number: int, step: Described) -> str:
    lines = [step.title, ", ".join(step.schema.names), step.distribution]
    lines += [f"keeps {step.keeps}"] if step.keeps else []
    escaped = "\\n".join(map(_escaped, lines))
    return f'n{number} [label="{escaped}", fillcolor="{_COLOURS[step.pattern]}"]'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


_FORMATS: Mapping[str, Callable[[_Explained], str]] = {"text": _text, "json": _json, "dot": _dot}
