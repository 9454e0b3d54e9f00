"""A plan for people and programs: as text, as JSON, or as a drawing for Graphviz.

Each node is shown with the update pattern of its output, how its tuples are distributed, the
stage that it runs in, and the columns that it gives.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, Literal

from windrow.errors import Error
from windrow.plan.distribute import distribute
from windrow.plan.exchange import level
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern
from windrow.plan.placement import placement

Format = Literal["text", "json", "dot"]

_COLOURS = {
    Pattern.MON: "#d9ead3",
    Pattern.WKS: "#cfe2f3",
    Pattern.WK: "#fff2cc",
    Pattern.STR: "#f4cccc",
}
"""By update pattern: the harder, the warmer."""


def explain(node: Node, format: Format = "text") -> str:
    """A plan, after `optimize`, in one of the formats; ends with a newline."""
    if format not in _FORMATS:
        raise Error(f"no format '{format}' for EXPLAIN", hint=f"formats are: {', '.join(_FORMATS)}")
    return _FORMATS[format](distribute(node))


def _title(node: Node) -> str:
    return f"{node.label} {node.detail}".rstrip()


def _stage(node: Node) -> int:
    """The stage that does a node's work; an exchange is the last thing that a stage does."""
    return level(node.inputs[0]) if node.label == "Exchange" else level(node)


def _text(node: Node) -> str:
    head = ("plan", "pattern", "distribution", "stage", "columns")
    rows = [head, *_rows(node, "", "")]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    padded = (
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in padded)


def _rows(node: Node, first: str, rest: str) -> Iterator[tuple[str, str, str, str, str]]:
    """A line for each node of a tree. `first` is drawn before the node's line, `rest` before those
    of its inputs."""
    columns = ", ".join(f"{field.name} {field.type}" for field in node.schema)
    where = str(placement(node))
    yield f"{first}{_title(node)}", node.pattern.name, where, str(_stage(node)), columns
    for place, each in enumerate(node.inputs):
        last = place == len(node.inputs) - 1
        yield from _rows(each, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))


def _json(node: Node) -> str:
    return json.dumps(_as_data(node), indent=2, ensure_ascii=False) + "\n"


def _as_data(node: Node) -> dict[str, Any]:
    return {
        "node": node.label,
        "detail": node.detail,
        "pattern": node.pattern.name,
        "distribution": str(placement(node)),
        "stage": _stage(node),
        "columns": [{"name": field.name, "type": field.type} for field in node.schema],
        "inputs": [_as_data(each) for each in node.inputs],
    }


def _dot(node: Node) -> str:
    numbered = list(_numbered(node, count()))
    lines = ["digraph plan {", '  rankdir="BT"', '  node [shape="box", style="filled,rounded"]']
    for stage in sorted({_stage(each) for _, each, _ in numbered}):
        lines += [f"  subgraph cluster_{stage} {{", f'    label="stage {stage}"']
        lines += [f"    {_drawn(number, each)}" for number, each, _ in numbered if _stage(each) == stage]
        lines += ["  }"]
    for number, each, parent in numbered:
        if parent is not None:
            lines += [f'  n{number} -> n{parent} [label="{each.pattern.name}"]']
    return "\n".join([*lines, "}", ""])


def _numbered(
    node: Node, numbers: Iterator[int], parent: int | None = None
) -> Iterator[tuple[int, Node, int | None]]:
    """Each node with a number of its own and that of the node above it."""
    number = next(numbers)
    yield number, node, parent
    for each in node.inputs:
        yield from _numbered(each, numbers, number)


def _drawn(number: int, node: Node) -> str:
    columns = ", ".join(node.schema.names)
    label = f"{_title(node)}\n{columns}\n{placement(node)}"
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'n{number} [label="{escaped}", fillcolor="{_COLOURS[node.pattern]}"]'


_FORMATS: Mapping[str, Callable[[Node], str]] = {"text": _text, "json": _json, "dot": _dot}
