"""Steps at the top of a query: from an answer that changes to a stream; and the one for what no
other step covers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from sqlglot import exp

from windrow.plan.nodes import ANY, SINGLE, Distribution, Node, Passed, Unary, sql_of
from windrow.plan.patterns import Pattern
from windrow.schema import Schema


@dataclass(frozen=True)
class ToStream(Unary):
    """Istream: what enters the answer. Dstream: what leaves it. Rstream: all of it, at each change.

    Restored, a periodic query also gives what came and went between two of its evaluations.
    """

    label: ClassVar[str] = "ToStream"
    kind: Literal["Istream", "Dstream", "Rstream"]
    restore: bool = False

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
        return f"{self.kind}{'-restore' if self.restore else ''}"


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
class Reevaluate(Node):
    """A query that no incremental step covers: asked again over the live tuples at each change."""

    label: ClassVar[str] = "Reevaluate"
    sources: tuple[Node, ...]
    query: exp.Query
    """Over tables __0, __1, … with the columns of the sources."""
    output: Schema

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
        return sql_of(self.query)
