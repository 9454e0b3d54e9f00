"""Steps that make one result of many tuples: aggregates, DISTINCT, the first so many.

Rule 4 of update patterns: an aggregate's value lasts until nobody knows which tuple changes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from sqlglot import exp

from windrow.durations import format_duration
from windrow.plan.joins import telling, weak
from windrow.plan.nodes import SINGLE, Distribution, Passed, Unary, named_sql, sql_of
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent, WindowSpec
from windrow.schema import Field, Schema


def _by(keys: tuple[str, ...]) -> Distribution:
    return Distribution("hash", keys) if keys else SINGLE


@dataclass(frozen=True)
class _Grouping(Unary):
    """What steps that group tuples share."""

    keys: tuple[str, ...]
    """Columns of the input."""
    aggregates: tuple[exp.Expr, ...]
    """Calls over expressions of the input, with DISTINCT, ORDER BY and FILTER as written."""
    names: tuple[Field, ...]
    """The columns of the aggregates."""

    def __post_init__(self) -> None:
        if len(self.aggregates) != len(self.names):
            raise ValueError("each aggregate needs a name and a type")

    @cached_property
    def schema(self) -> Schema:
        fields = {field.name: field for field in self.input.schema}
        return Schema((*(fields[key] for key in self.keys), *self.names))

    @cached_property
    def passes(self) -> tuple[Passed, ...]:
        return ({key.lower(): key for key in self.keys},)

    @property
    def distribution(self) -> Distribution:
        return _by(self.keys)

    @property
    def detail(self) -> str:
        return _told(self.aggregates, self.names) + (f" by {', '.join(self.keys)}" if self.keys else "")


@dataclass(frozen=True)
class GroupBy(_Grouping):
    """One result a group of live tuples; without keys one in all, even of nothing."""

    label: ClassVar[str] = "GroupBy"
    repeats: bool = False
    """Results of internal windows: all that are computed are told, be they as before or not, and none
    before there are tuples."""

    @property
    def pattern(self) -> Pattern:
        return Pattern.STR


@dataclass(frozen=True)
class GroupByPanes(GroupBy):
    """A GroupBy and the window below it, in one: what runs where the window is paned."""

    label: ClassVar[str] = "GroupBy"
    spec: WindowSpec = field(kw_only=True)


@dataclass(frozen=True)
class Accumulate(_Grouping):
    """Non-blocking aggregates over a stream: what they return as each tuple comes, by group."""

    label: ClassVar[str] = "Accumulate"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.input.pattern is not Pattern.MON:
            raise ValueError("an aggregate without a window accumulates what never expires")


@dataclass(frozen=True, slots=True)
class Frame:
    """The tuples before each tuple that OVER takes in, and when it gives a result."""

    extent: Extent
    preceding: int | None
    """Microseconds or tuples, besides the tuple itself and, of time, its peers; None: all."""
    slide: int | None = None
    """Only the last tuple of each slot of so many microseconds or tuples gives a result."""
    active: bool = False
    """Tuples that leave the frame give results too, when they leave."""

    def __post_init__(self) -> None:
        if self.active and (self.extent is Extent.COUNT or self.preceding is None or self.slide):
            raise ValueError("active expiration is of time frames that end, without a slide")

    @property
    def tumbles(self) -> bool:
        """Whether no tuple is in the frames of two results: then each begins anew. Of frames of time nobody
        knows, for they reach back from the last tuple of a slot."""
        if self.extent is Extent.TIME or self.preceding is None or self.slide is None:
            return False
        return self.slide > self.preceding

    def __str__(self) -> str:
        length = format_duration if self.extent is Extent.TIME else str
        size = "UNBOUNDED" if self.preceding is None else length(self.preceding)
        slide = "" if self.slide is None else f" SLIDE {length(self.slide)}"
        return f"{self.extent.value} {size} PRECEDING{slide}{' ACTIVE EXPIRATION' if self.active else ''}"


@dataclass(frozen=True)
class Over(Unary):
    """Window aggregates of SQL:2003: for each tuple their value over the tuples before it and itself."""

    label: ClassVar[str] = "Over"
    calls: tuple[exp.Expr, ...]
    names: tuple[Field, ...]
    partition: tuple[str, ...]
    frame: Frame
    own: bool = False
    """The calls are of window aggregates of the user's own, which say themselves when they give a result:
    so a tuple may give none, or several."""

    def __post_init__(self) -> None:
        if self.input.pattern is not Pattern.MON:
            raise ValueError("OVER takes the tuples of a stream, one after another")

    @cached_property
    def schema(self) -> Schema:
        return Schema((*self.input.schema, *self.names))

    @property
    def distribution(self) -> Distribution:
        return _by(self.partition)

    @property
    def detail(self) -> str:
        over = f"PARTITION BY {', '.join(self.partition)} " if self.partition else ""
        return f"{_told(self.calls, self.names)} OVER ({over}{self.frame})"


@dataclass(frozen=True)
class Distinct(Unary):
    """One of all equal live tuples; NULLs are equal."""

    label: ClassVar[str] = "Distinct"
    tells_ends: bool = field(default=False, kw_only=True)
    """What ends is told by a negative tuple, and of an instant only the balance."""

    @cached_property
    def pattern(self) -> Pattern:
        """When the tuple given out expires before a younger equal does, that one is given out; or, where
        ends are told, nothing is said until the last of them ends."""
        return telling(weak(self.inputs), self.tells_ends)

    @property
    def detail(self) -> str:
        return "telling ends" if self.tells_ends else ""

    @property
    def distribution(self) -> Distribution:
        return Distribution("hash", self.schema.names)


@dataclass(frozen=True)
class TopK(Unary):
    """The first so many of the live tuples in an order."""

    label: ClassVar[str] = "TopK"
    order: tuple[exp.Ordered, ...]
    limit: int | None
    offset: int = 0

    @property
    def pattern(self) -> Pattern:
        return Pattern.STR

    @property
    def distribution(self) -> Distribution:
        return SINGLE

    @property
    def detail(self) -> str:
        parts = [f"by {', '.join(map(sql_of, self.order))}"] if self.order else []
        parts += [] if self.limit is None else [f"limit {self.limit}"]
        return " ".join([*parts, f"offset {self.offset}"] if self.offset else parts)


def _told(calls: tuple[exp.Expr, ...], names: tuple[Field, ...]) -> str:
    return ", ".join(named_sql(call, field.name) for call, field in zip(calls, names, strict=True))
