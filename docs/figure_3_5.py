"""Draws figure_3_5.svg: one query, and the plans that are chosen where few and where many tuples match.

    python docs/figure_3_5.py

What is drawn is what EXPLAIN DOT says, without Graphviz.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from windrow.catalog import Catalog
from windrow.language import bind, define, parse, parse_query
from windrow.language.statements import CreateStream
from windrow.plan.choosing import choose
from windrow.plan.explain import explain
from windrow.plan.statistics import Observed, Statistics

STREAMS = "".join(f"CREATE STREAM S{number} (a INT, ts TIMESTAMP) ORDER BY ts; " for number in (1, 2, 3))
QUERY = """
    SELECT S1.a, S1.ts AS first, S2.ts AS second
    FROM S1 [RANGE 100 SECONDS], S2 [RANGE 100 SECONDS]
    WHERE S1.a = S2.a AND NOT EXISTS (SELECT * FROM S3 [RANGE 100 SECONDS] WHERE S3.a = S1.a)
"""
CASES = {"Few tuples match: 5,000 values of a": 5000, "Many tuples match: 100 values of a": 100}
"""Titles, with how many values the column has in each of the streams, of 10 tuples a second."""

LINE, CHARACTER, GAP, RISE = 14, 6.3, 14, 34
_NODE = re.compile(r'(n\d+) \[label="((?:[^"\\]|\\.)*)", fillcolor="([^"]+)"\]')
_EDGE = re.compile(r'(n\d+) -> (n\d+) \[label="([^"]*)"\]')
_COSTS = re.compile(r'labeljust="l"; label="((?:[^"\\]|\\.)*)"')


@dataclass
class Box:
    """A node of a drawing, with what is below it, and the words at the edge above it."""

    lines: list[str]
    colour: str
    below: list[Box] = field(default_factory=list)
    edge: str = ""

    @property
    def own(self) -> float:
        return CHARACTER * max(map(len, self.lines)) + 12

    @property
    def height(self) -> float:
        return LINE * len(self.lines) + 8

    @property
    def width(self) -> float:
        return max(self.own, sum(box.width for box in self.below) + GAP * (len(self.below) - 1))

    @property
    def depth(self) -> float:
        return self.height + max((RISE + box.depth for box in self.below), default=0)

    def drawn(self, left: float, top: float) -> Iterator[str]:
        middle, bottom = left + self.width / 2, top + self.height
        place = left + (self.width - sum(box.width for box in self.below) - GAP * (len(self.below) - 1)) / 2
        for box in self.below:
            there = place + box.width / 2
            yield f'<path d="M{there:.0f} {bottom + RISE:.0f} L{middle:.0f} {bottom:.0f}" class="edge"/>'
            anchor, aside = ("end", -6) if there < middle else ("start", 6)
            yield _text([box.edge], (middle + there) / 2 + aside, bottom + RISE / 2 - 2, anchor)
            yield from box.drawn(place, bottom + RISE)
            place += box.width + GAP
        yield (
            f'<rect x="{middle - self.own / 2:.0f}" y="{top:.0f}" width="{self.own:.0f}" '
            f'height="{self.height:.0f}" rx="5" fill="{self.colour}" stroke="#777"/>'
        )
        yield _text(self.lines, middle, top + LINE)


def _text(lines: list[str], x: float, y: float, anchor: str = "middle") -> str:
    spans = (
        f'<tspan x="{x:.0f}" y="{y + LINE * place:.0f}">{escape(line)}</tspan>'
        for place, line in enumerate(lines)
    )
    return f'<text text-anchor="{anchor}">{"".join(spans)}</text>'


def read(dot: str) -> Box:
    """The boxes of a plan, as EXPLAIN DOT tells them."""
    boxes = {name: Box(_lines(label), colour) for name, label, colour in _NODE.findall(dot)}
    for lower, upper, label in _EDGE.findall(dot):
        boxes[lower].edge = ", ".join(_lines(label))
        boxes[upper].below.append(boxes[lower])
    return boxes["n0"]


def _lines(label: str) -> list[str]:
    """The lines of a label; each may end in a word to Graphviz how it is set."""
    lines = re.split(r"\\[nl]", label.replace('\\"', '"'))
    return [line for line in lines if line]


def picture() -> str:
    """The whole drawing."""
    catalog = Catalog()
    for statement in parse(STREAMS):
        assert isinstance(statement, CreateStream)
        catalog.add(define(statement, catalog))
    bound = bind(parse_query(QUERY), catalog)
    drawn, left, lowest = [], 10.0, 0.0
    for title, values in CASES.items():
        seen = Observed(10, values=(("a", values),))
        known = Statistics.of(s1=seen, s2=seen, s3=seen)
        choice = choose(bound, known)
        dot = explain(choice.plan, "dot", known, choice.alternatives)
        box, (costs,) = read(dot), _COSTS.findall(dot)
        words = [title, *_lines(costs)]
        drawn += [_text(words, left, 20, "start"), *box.drawn(left, 30 + LINE * len(words))]
        left += max(box.width, CHARACTER * max(map(len, words))) + 40
        lowest = max(lowest, 50 + LINE * len(words) + box.depth)
    style = "text{font:11px monospace;fill:#222}.edge{stroke:#777;fill:none}"
    size = f'width="{left:.0f}" height="{lowest:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>'
    return "\n".join([head, f'<rect {size} fill="white"/>', *drawn, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(picture())
