"""Steps at the top of a query: from an answer that changes to a stream; and the one for what no
other step covers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sqlglot import exp

from windrow.durations import format_duration
from windrow.plan.nodes import ANY, SINGLE, Distribution, Node, Passed, Unary, sql_of
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent, Window
from windrow.schema import Schema


@dataclass(frozen=True)
class ToStream(Unary):
    """Istream: what enters the answer. Dstream: what leaves it. Rstream: all of it, at each change.

    A periodic query is one over windows of time with a SLIDE. Restored, it also gives what came and went
    between two of its evaluations. Windows that move with the slide never show that; so the binder leaves
    the slide with the windows and says `restore`, and the rule `restore_results` takes it from them, and
    puts it here as `every`.
    """

    label: ClassVar[str] = "ToStream"
    kind: Literal["Istream", "Dstream", "Rstream"]
    restore: bool = False
    every: int | None = None
    """Restored: what the answer did since the last multiple of so many microseconds is told at the next."""

    def __post_init__(self) -> None:
        if self.restore and self.kind == "Dstream":
            raise ValueError("only what enters an answer, and all of it, can be restored")
        slides = {(window.spec.extent, window.spec.slide) for window in windows_of(self.input)}
        by_count = any(extent is Extent.COUNT and slide for extent, slide in slides)
        if self.restore and (by_count or len({slide for _, slide in slides}) > 1):
            raise ValueError("the windows of a restored query slide by the same length of time")

    @property
    def pattern(self) -> Pattern:
        return Pattern.MON

    @property
    def distribution(self) -> Distribution:
        """What comes and goes of equal tuples at one instant is nothing, and one place has to see it."""
        if self.kind == "Rstream":
            return SINGLE
        return ANY if self.input.pattern is Pattern.MON else Distribution("hash", self.schema.names)

    @property
    def detail(self) -> str:
        every = "" if self.every is None else f" every {format_duration(self.every)}"
        return f"{self.kind}{'-restore' if self.restore else ''}{every}"


def windows_of(answer: Node) -> Iterator[Window]:
    """The windows that an answer is of; not those that streams below them are of."""
    if answer.pattern is Pattern.MON:
        return
    if isinstance(answer, Window):
        yield answer
    for each in answer.inputs:
        yield from windows_of(each)


@dataclass(frozen=True)
class Changes(Unary):
    """The changes of an answer, one by one: what ends, however its end was foreseen, is told by a
    negative tuple, and what came and went within an instant is left out.

    The top of every query whose answer shrinks and is not made a stream.
    """

    label: ClassVar[str] = "Changes"

    @property
    def pattern(self) -> Pattern:
        return Pattern.STR

    @property
    def distribution(self) -> Distribution:
        """Of equal tuples one comes as another goes, and one place has to see it."""
        return Distribution("hash", self.schema.names)


@dataclass(frozen=True)
class InOrder(Unary):
    """The order in which a whole answer is shown. Nothing comes or goes because of it: nothing runs it."""

    label: ClassVar[str] = "InOrder"
    order: tuple[exp.Ordered, ...]

    @property
    def keeps_state(self) -> bool:
        return False

    @property
    def detail(self) -> str:
        return f"by {', '.join(map(sql_of, self.order))}"


@dataclass(frozen=True)
class Reevaluate(Node):
    """A query that no incremental step covers: asked again over the live tuples at each change."""

    label: ClassVar[str] = "Reevaluate"
    sources: tuple[Node, ...]
    query: exp.Query
    """Over tables __0, __1, … with the columns of the sources."""
    output: Schema
    reason: str = ""
    """What of it no other step covers."""

    @property
    def inputs(self) -> tuple[Node, ...]:
        return self.sources

    def over(self, *inputs: Node) -> Node:
        return replace(self, sources=inputs)

    @property
    def schema(self) -> Schema:
        return self.output

    @property
    def pattern(self) -> Pattern:
        return Pattern.STR

    @property
    def passes(self) -> tuple[Passed, ...]:
        return ({},) * len(self.sources)

    @property
    def distribution(self) -> Distribution:
        return SINGLE

    @property
    def detail(self) -> str:
        why = f"because of {self.reason}: " if self.reason else ""
        return f"{why}{sql_of(self.query)}"
