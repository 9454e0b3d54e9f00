"""Windows: what part of a stream, or of a query's results, counts at an instant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from windrow.delta import NEVER
from windrow.durations import format_duration
from windrow.plan.nodes import ANY, SINGLE, Distribution, Unary
from windrow.plan.patterns import Pattern
from windrow.schema import Field, Schema


class Extent(Enum):
    """By what a window is measured."""

    TIME = "RANGE"
    COUNT = "ROWS"


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """A window's size and pace: [RANGE T], [ROWS N], [PARTITION BY k ROWS N], each with SLIDE.

    [NOW] is the time window of one microsecond, [UNBOUNDED] that of NEVER.
    """

    extent: Extent
    size: int
    """Microseconds, or tuples."""
    slide: int | None = None
    """It moves at multiples of so many microseconds or tuples; None: at once."""
    partition: tuple[str, ...] = ()
    """Columns; the count is of each value of them."""

    def __post_init__(self) -> None:
        if self.size < 1 or (self.slide is not None and self.slide < 1):
            raise ValueError("a window and its slide are longer than nothing")
        if self.partition and self.extent is Extent.TIME:
            raise ValueError("only a window of a number of tuples is partitioned")

    @property
    def is_unbounded(self) -> bool:
        return self.extent is Extent.TIME and self.size == NEVER

    @property
    def pattern(self) -> Pattern:
        """How tuples leave the window."""
        if self.is_unbounded:
            return Pattern.MON
        return Pattern.WKS if self.extent is Extent.TIME else Pattern.STR

    @property
    def lifetime(self) -> int | None:
        """How long it holds a tuple; None where that is not the same for all."""
        if self.pattern is not Pattern.WKS:
            return None
        slide = self.slide or 1
        longest = max(self.size, slide)
        return longest if longest % slide == 0 else None

    @property
    def distribution(self) -> Distribution:
        """Only one place can count tuples."""
        if self.extent is Extent.TIME:
            return ANY
        return Distribution("hash", self.partition) if self.partition else SINGLE

    def __str__(self) -> str:
        slide = "" if self.slide is None else f" SLIDE {self._length(self.slide)}"
        if self.is_unbounded:
            return f"[UNBOUNDED{slide}]"
        if self.extent is Extent.TIME and self.size == 1:
            return f"[NOW{slide}]"
        partition = f"PARTITION BY {', '.join(self.partition)} " if self.partition else ""
        return f"[{partition}{self.extent.value} {self._length(self.size)}{slide}]"

    def _length(self, length: int) -> str:
        return format_duration(length) if self.extent is Extent.TIME else str(length)


@dataclass(frozen=True)
class _Windowing(Unary):
    """What all windows share: the pattern of their results is that of the window."""

    spec: WindowSpec

    @property
    def pattern(self) -> Pattern:
        return self.spec.pattern

    @property
    def lifetime(self) -> int | None:
        return self.spec.lifetime

    @property
    def distribution(self) -> Distribution:
        return self.spec.distribution

    def __post_init__(self) -> None:
        if self.input.pattern is not Pattern.MON:
            raise ValueError("a window holds tuples of a stream, and these expire by themselves")


@dataclass(frozen=True)
class Window(_Windowing):
    """The tuples of a stream that a window holds."""

    label: ClassVar[str] = "Window"
    internal: bool = False
    """It bounds what is remembered; an Append above keeps results from expiring with it."""
    exposed: str | None = None
    """A column in which each tuple tells when it leaves, for an Append above."""
    paned: bool = False
    """The groups above add its tuples up as they come: it keeps none, and is no step of its own."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exposed is not None and self.spec.extent is Extent.COUNT:
            raise ValueError("nobody knows beforehand when a tuple leaves a window of so many")

    @property
    def schema(self) -> Schema:
        if self.exposed is None:
            return self.input.schema
        return Schema((*self.input.schema, Field(self.exposed, "BIGINT")))

    @property
    def keeps_state(self) -> bool:
        """A time window that moves with each tuple only says when its tuples leave."""
        return self.spec.extent is Extent.COUNT or self.spec.slide is not None

    @property
    def detail(self) -> str:
        told = str(self.spec).replace("]", " INTERNAL]") if self.internal else str(self.spec)
        return f"{told} in panes" if self.paned else told


@dataclass(frozen=True)
class OutputWindow(_Windowing):
    """Wstream: the results of the last so much time, or the last so many. They expire by age alone."""

    label: ClassVar[str] = "OutputWindow"

    @property
    def detail(self) -> str:
        return str(self.spec)


@dataclass(frozen=True)
class Append(Unary):
    """What internal windows give: the input's results once more, but the end of a window does not
    end them. They last for ever or, where other windows are external, as long as those say."""

    label: ClassVar[str] = "Append"
    lifetimes: tuple[str, ...] = ()
    """Columns with the instants, of which the least ends a result; they are dropped."""

    @property
    def schema(self) -> Schema:
        return Schema(tuple(field for field in self.input.schema if field.name not in self.lifetimes))

    @property
    def pattern(self) -> Pattern:
        return Pattern.WK if self.lifetimes else Pattern.MON

    @property
    def detail(self) -> str:
        return f"until {', '.join(self.lifetimes)}" if self.lifetimes else ""
