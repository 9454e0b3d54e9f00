"""What has been declared: streams, relations and aggregates, by name whatever its case."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from windrow.schema import Schema

if TYPE_CHECKING:
    from windrow.aggregate_body import Body
    from windrow.plan.nodes import Node


class Stamping(Enum):
    """Who gives a stream's tuples their timestamps."""

    EXTERNAL = "external"
    """A column of the arriving tuples, named in ORDER BY."""
    INTERNAL = "internal"
    """The system, on arrival, in the column current_time; strictly increasing."""
    LATENT = "latent"
    """Nobody declared one: the system numbers arrivals in a hidden timestamp."""


class Part(Enum):
    """What a stream's log keeps side by side: each part reads as a stream of its own."""

    TUPLES = 0
    LATE = 1
    REJECTED = 2


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream that tuples arrive on. Times are in microseconds."""

    name: str
    schema: Schema
    stamping: Stamping = Stamping.LATENT
    timestamp: str | None = None
    """The timestamp column; None iff latent."""
    slack: int = 0
    retain: int = 0
    """At least so much history stays in the stream log."""
    heartbeat: int | None = None
    """After so much silence an external stream counts as idle; for an internal one, the beat."""
    source: str | None = None
    """Where tuples come from, a URI; None when they are only pushed."""
    sql: str = ""
    part: Part = Part.TUPLES
    born: int = 0
    """The version of the program that declared it: a stream declared anew has a log of its own."""

    def __post_init__(self) -> None:
        if (self.timestamp is None) != (self.stamping is Stamping.LATENT):
            raise ValueError("a stream has a timestamp column unless it is latent")

    @property
    def time_column(self) -> str:
        """The timestamp column of a stream that has one."""
        if self.timestamp is None:
            raise ValueError(f"the stream {self.name} is latent: it has no timestamp column")
        return self.timestamp

    @property
    def brings_timestamps(self) -> bool:
        """Whether its tuples come with their timestamps; all others are stamped by the system."""
        return self.stamping is Stamping.EXTERNAL and self.part is Part.TUPLES

    @property
    def arriving(self) -> Schema:
        """The columns that arriving tuples bring: all but an internal timestamp."""
        if self.stamping is not Stamping.INTERNAL:
            return self.schema
        return Schema(tuple(f for f in self.schema if f.name != self.timestamp))

    @property
    def late(self) -> Stream:
        """The stream of tuples that came after their time; stamped on arrival, invisibly."""
        return Stream(f"{self.name}.late", self.schema, part=Part.LATE, born=self.born)

    @property
    def rejected(self) -> Stream:
        """The stream of input that was no tuple, with the reason."""
        columns = Schema.of(("input", "VARCHAR"), ("reason", "VARCHAR"))
        name = f"{self.name}.rejected"
        return Stream(name, columns, part=Part.REJECTED, born=self.born)

    @property
    def log(self) -> str:
        """The name of the log in which this stream is kept: good as a file's, whatever the stream's."""
        name = self.name if self.part is Part.TUPLES else self.name.rpartition(".")[0]
        return log_name(name, self.born)


@dataclass(frozen=True, slots=True)
class DerivedStream:
    """A stream defined by a query over others (CREATE STREAM … AS SELECT)."""

    name: str
    plan: Node
    sql: str = ""
    reads: frozenset[str] = frozenset()
    """The streams that its query names, in small letters."""

    @property
    def schema(self) -> Schema:
        return self.plan.schema


@dataclass(frozen=True, slots=True)
class Relation:
    """A table; of an NRR (a non-retroactive relation) updates touch only tuples that come later."""

    name: str
    schema: Schema
    key: tuple[str, ...] = ()
    """The columns of the primary key; none where rows may be alike."""
    retroactive: bool = True
    sql: str = ""
    born: int = 0
    """The version of the program that declared it: one declared anew has a log of its own."""

    @property
    def arriving(self) -> Schema:
        """The columns that rows bring: all."""
        return self.schema

    @property
    def kind(self) -> Literal["table", "NRR"]:
        return "table" if self.retroactive else "NRR"

    @property
    def log(self) -> str:
        """The name of the log of its changes."""
        return log_name(self.name, self.born)


def log_name(name: str, born: int) -> str:
    """A name for the log of something declared: good as a file's, whatever its own."""
    return f"{quote(name.lower(), safe='')}-{born}"


AGGREGATE_ROWS = 10_000_000
"""The rows that an aggregate may keep, where nobody says otherwise."""
AGGREGATE_TIME = 60_000_000
"""The microseconds that a method in Python may take, likewise."""


class Share(Enum):
    """What an aggregate in Python is used for where frames have panes."""

    WHOLE = "whole"
    """There are none."""
    PANE = "pane"
    """It gives its instances, pickled."""
    PANES = "panes"
    """It takes such instances in, and merges them."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate of the user's own (CREATE AGGREGATE)."""

    name: str
    parameters: Schema
    """The type `ANY` stands for that of a call's argument."""
    returns: Schema
    """One column, unnamed where the definition gives no name, or several."""
    blocking: bool
    """It answers at the end of its input, and so only over windows and tables."""
    window: bool = False
    """Defined as WINDOW AGGREGATE: it says itself what the expiry of a tuple means."""
    algebraic: bool = False
    """Its results over parts may be its own input: ALGEBRAIC."""
    sql: str = ""
    type: str = ""
    """Of a call's value: that of the one column, or a STRUCT of several."""
    body: Body | None = None
    """What it does; None where it is written in Python. Types may be `ANY` as those of parameters are."""
    python: str | None = None
    """The 'module:Class' that does it."""
    merges: bool = False
    """That class has `merge`."""
    share: Share = Share.WHOLE
    limit: int = AGGREGATE_ROWS
    """So many rows its tables may have, of all groups together."""
    patience: int = AGGREGATE_TIME
    """So many microseconds a method in Python may take."""

    @property
    def kind(self) -> str:
        return "window aggregate" if self.window else "aggregate"


Readable = Stream | DerivedStream | Relation
"""What FROM can name."""


@dataclass(slots=True)
class Catalog:
    """All that statements can name. Keys are names in small letters."""

    streams: dict[str, Stream | DerivedStream] = field(default_factory=dict)
    relations: dict[str, Relation] = field(default_factory=dict)
    aggregates: dict[str, tuple[Aggregate, ...]] = field(default_factory=dict)
    """Under one name, the base and the window version of an aggregate may both be there."""

    def add(self, declared: Readable | Aggregate) -> None:
        """Make something known; an aggregate beside its other version."""
        key = declared.name.lower()
        if isinstance(declared, Aggregate):
            others = (each for each in self.aggregates.get(key, ()) if each.window != declared.window)
            self.aggregates[key] = tuple(sorted((*others, declared), key=lambda each: each.window))
        elif isinstance(declared, Relation):
            self.relations[key] = declared
        else:
            self.streams[key] = declared

    def drop(self, name: str) -> None:
        """Forget the stream or the relation of this name."""
        named: dict[str, Any] = self.relations if name.lower() in self.relations else self.streams
        del named[name.lower()]

    def named(self, name: str) -> Readable | None:
        """The stream or the relation of that name: no two things have the same."""
        return self.find(name) or self.relations.get(name.lower())

    def readable(self) -> list[Readable]:
        """All that FROM can name, but for what comes with streams."""
        return [*self.streams.values(), *self.relations.values()]

    def drop_aggregate(self, aggregate: Aggregate) -> None:
        """Forget one version of an aggregate."""
        key = aggregate.name.lower()
        left = tuple(each for each in self.aggregates[key] if each.window != aggregate.window)
        self.aggregates[key] = left
        if not left:
            del self.aggregates[key]

    def aggregate(self, name: str, *, window: bool = False) -> Aggregate | None:
        """The base version of an aggregate, or its window version."""
        versions = self.aggregates.get(name.lower(), ())
        return next((each for each in versions if each.window == window), None)

    def find(self, name: str) -> Stream | DerivedStream | None:
        """The stream of that name; NAME.late and NAME.rejected are found with NAME."""
        if found := self.streams.get(name.lower()):
            return found
        base, _, part = name.lower().rpartition(".")
        parent = self.streams.get(base)
        if isinstance(parent, Stream) and part in ("late", "rejected"):
            return parent.late if part == "late" else parent.rejected
        return None
