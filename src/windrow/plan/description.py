"""What EXPLAIN says of each step of a plan, whatever it is drawn with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from windrow.aggregates.user_defined.calls import following, version
from windrow.aggregates.user_defined.choose import obstacle
from windrow.catalog import Aggregate
from windrow.plan.estimates import Estimate, Estimator
from windrow.plan.exchange import level
from windrow.plan.grouping import Accumulate, GroupBy, Over
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern
from windrow.plan.placement import placement
from windrow.schema import Schema


@dataclass(frozen=True, slots=True)
class Described:
    """A step of a plan with its exchanges."""

    label: str
    detail: str
    pattern: Pattern
    estimate: Estimate
    distribution: str
    stage: int
    """That does the step's work; an exchange is the last thing that a stage does."""
    schema: Schema
    inputs: tuple[Described, ...]

    @property
    def title(self) -> str:
        return f"{self.label} {self.detail}".rstrip()

    @property
    def rate(self) -> str:
        """Tuples a second that enter the result and, behind a minus, negative ones."""
        told = f"{compact(self.estimate.rate)}/s"
        return f"{told} -{compact(self.estimate.negatives)}/s" if self.estimate.negatives else told

    @property
    def keeps(self) -> str:
        """Tuples that the step remembers; nothing if it remembers none."""
        return compact(self.estimate.state) if self.estimate.state else ""

    def walk(self) -> Iterator[Described]:
        yield self
        for each in self.inputs:
            yield from each.walk()


def described(node: Node, estimator: Estimator) -> Described:
    """A distributed plan in words."""
    return Described(
        node.label,
        " ".join(filter(None, (node.detail, *(f"({each})" for each in _carried_out(node))))),
        node.pattern,
        estimator.of(node),
        str(placement(node)),
        level(node.inputs[0]) if node.label == "Exchange" else level(node),
        node.schema,
        tuple(described(each, estimator) for each in node.inputs),
    )


def _carried_out(node: Node) -> Iterator[str]:
    """How aggregates of the user's own run: compiled or, where something keeps them, interpreted."""
    if isinstance(node, Accumulate | GroupBy | Over):
        called = list(_called(node))
        for name, aggregate in {each.name: each for each in called if each is not None}.items():
            why, way = obstacle(aggregate), "runs in Python" if aggregate.python else "is interpreted"
            yield f"{name} is compiled" if why is None else f"{name} {way}, for {why}"


def _called(node: Accumulate | GroupBy | Over) -> Iterator[Aggregate | None]:
    """The versions of aggregates that serve a step."""
    if isinstance(node, Over):
        yield from (version(call, window=node.own) for call in node.calls)
        return
    pattern = node.input.pattern
    for call in node.aggregates:
        yield following(call, pattern) or version(call, window=False)


_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def compact(number: float) -> str:
    """A number to read at a glance: two digits that count, or all of those before the point. What is as
    good as nothing is 0."""
    if number < 1e-6:
        return "0"
    for size, unit in _UNITS:
        if number >= 0.9995 * size:
            return f"{_digits(number / size)}{unit}"
    return _digits(number)


def _digits(number: float) -> str:
    if number >= 9.95:
        return f"{number:.0f}"
    return f"{number:.1f}".removesuffix(".0") if number >= 0.095 else f"{number:.2g}"


def significant(number: float) -> float:
    """A number for programs, without digits that mean nothing."""
    return float(f"{number:.4g}")
