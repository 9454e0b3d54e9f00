"""A program: what is declared and what runs, as text, in numbered versions.

The number of the version in force is part of every batch's offsets, so a batch that is run again is
run with the queries that it was first run with, wherever it is run. Text is what survives an upgrade:
a worker plans the queries anew, once a version.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from windrow.catalog import (
    AGGREGATE_ROWS,
    AGGREGATE_TIME,
    Aggregate,
    Catalog,
    DerivedStream,
    Readable,
    Relation,
    Stream,
)
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.binder import bind
from windrow.language.define import define
from windrow.language.define_aggregate import define_aggregate
from windrow.language.parser import parse, parse_query
from windrow.language.statements import CreateDerivedStream, CreateRelation, CreateStream
from windrow.plan.choosing import Choice, choose
from windrow.plan.expiration import Expiration
from windrow.plan.explain import Format, explain
from windrow.plan.history import History, history, longest
from windrow.plan.joins import RelationScan
from windrow.plan.nodes import Node, leaves, scans
from windrow.plan.running import RunningStage
from windrow.plan.stages import CompiledPlan, Stage, compile_plan
from windrow.plan.statistics import Statistics
from windrow.runtime.checkpoint import read_json, unusable, write_json
from windrow.runtime.queued.pace import Pace
from windrow.runtime.queued.stage import QueuedStage
from windrow.runtime.queued.telling import Telling


@dataclass(frozen=True, slots=True)
class Definition:
    """A statement that declares a stream, a table or an aggregate, and the version of the program that
    it came with."""

    sql: str
    born: int
    allow_unbounded: bool = False
    """Whether it may remember a stream for ever, as the setting was when it was declared."""
    aggregate_rows: int = AGGREGATE_ROWS
    """How many rows an aggregate may keep, likewise."""
    aggregate_time: int = AGGREGATE_TIME
    """How many microseconds a method of one in Python may take, likewise."""


@dataclass(frozen=True, slots=True)
class QueryText:
    """A running query: what it selects, and where its changes go."""

    name: str
    sql: str
    sink: str
    born: int
    """The version that it appeared in; a batch that crosses it gives the query all of history."""
    changelog: str = "op"
    """How its changes are written down, as the setting was when it started."""
    expiration: str = Expiration.UPA.value
    """How its steps learn that tuples have ended, likewise."""
    statistics: str = ""
    """What was known of its streams and relations when it started: it is planned by that."""
    queued: Pace | None = None
    """How fast its steps work, if they are joined by queues; None where they run in batches."""

    @classmethod
    def from_plain(cls, told: Mapping[str, Any]) -> QueryText:
        """As it was saved."""
        pace = told.get("queued")
        return cls(**{**told, "queued": None if pace is None else Pace(**pace)})

    allow_unbounded: bool = False
    """Whether it may remember a stream for ever, likewise."""
    buckets: int = 0
    """How many shares its state is in; 0: as many as there were when the checkpoint was new."""

    @property
    def key(self) -> str:
        """What its state goes by: a name that is good as a file's, and not used again."""
        key = f"{quote(self.name, safe='')}-{self.born}"
        return f"{key}+{self.buckets}" if self.buckets else key


@dataclass(frozen=True)
class CompiledQuery:
    """A query as batches run it."""

    text: QueryText
    choice: Choice
    compiled: CompiledPlan

    @property
    def plan(self) -> Node:
        return self.choice.plan

    @property
    def name(self) -> str:
        return self.text.name

    def explained(self, format: Format = "text") -> str:
        """Its plan to read."""
        statistics = Statistics.read(self.text.statistics)
        return explain(self.plan, format, statistics, self.choice.alternatives)

    @property
    def key(self) -> str:
        return self.text.key

    def start(self, stage: Stage, *, home: bool) -> RunningStage:
        """The operators of a stage, with empty state."""
        if self.text.queued is None or stage.id == 0:
            return stage.start(home=home)
        telling = Telling(Expiration(self.text.expiration))
        return QueuedStage(stage.leaves, stage.roots, telling, self.text.queued)

    @cached_property
    def streams(self) -> tuple[Stream, ...]:
        """Those that it reads, each once, in the order of their first mention."""
        return tuple(dict.fromkeys(scan.stream for scan in scans(self.plan)))

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """Those that it reads, likewise."""
        found = leaves(self.plan)
        return tuple(dict.fromkeys(leaf.relation for leaf in found if isinstance(leaf, RelationScan)))

    @property
    def logs(self) -> frozenset[str]:
        """The names of their logs."""
        streams = {stream.log for stream in self.streams}
        return frozenset(streams | {relation.log for relation in self.relations})


@dataclass(frozen=True)
class Program:
    """One version of what is declared and running."""

    version: int = 0
    definitions: tuple[Definition, ...] = ()
    queries: tuple[QueryText, ...] = ()
    buckets: int = 0
    """Of queries that start."""

    def __reduce__(self) -> tuple[type[Program], tuple[Any, ...]]:
        """Only the text goes elsewhere: plans are made anew there."""
        return Program, (self.version, self.definitions, self.queries, self.buckets)

    def compiled(self) -> tuple[CompiledQuery, ...]:
        return tuple(self._plans.values())

    def planned(self, text: QueryText) -> CompiledQuery:
        """A query as this program would run it, by what was declared before it came."""
        earlier = tuple(each for each in self.definitions if each.born <= text.born)
        return _planned(text, earlier)

    @cached_property
    def _plans(self) -> dict[QueryText, CompiledQuery]:
        return {text: self._made.get(text) or self.planned(text) for text in self.queries}

    @cached_property
    def _made(self) -> Mapping[QueryText, CompiledQuery]:
        """The plans of the version before, if this one came of it here."""
        return {}

    def streams_read(self) -> Mapping[str, Stream]:
        """The streams whose logs the queries read, by the name of the log."""
        return self._streams_read

    @cached_property
    def _streams_read(self) -> Mapping[str, Stream]:
        wanted = {stream.log for query in self.compiled() for stream in query.streams}
        known = _catalog(self.definitions).streams.values()
        return {each.log: each for each in known if isinstance(each, Stream) and each.log in wanted}

    def relations_read(self) -> Mapping[str, Relation]:
        """The relations whose logs the queries read, likewise."""
        return self._relations_read

    @cached_property
    def _relations_read(self) -> Mapping[str, Relation]:
        wanted = {relation.log for query in self.compiled() for relation in query.relations}
        known = _catalog(self.definitions).relations.values()
        return {each.log: each for each in known if each.log in wanted}

    def history(self) -> Mapping[Stream, History]:
        """How far back the windows of all queries look, in each stream that they read."""
        return self._history

    @cached_property
    def _history(self) -> Mapping[Stream, History]:
        return longest(history(query.plan) for query in self.compiled())

    def logs(self) -> frozenset[str]:
        """The names of the logs of all streams and relations that are declared."""
        known = _catalog(self.definitions).readable()
        return frozenset(each.log for each in known if not isinstance(each, DerivedStream))

    def with_definition(self, definition: Definition) -> Program:
        return self._next(definitions=(*self.definitions, definition))

    def without_definition(self, sql: str) -> Program:
        kept = tuple(each for each in self.definitions if each.sql != sql)
        return self._next(definitions=kept)

    def with_query(self, text: QueryText) -> Program:
        return self._next(queries=(*self.queries, text))

    def spread(self, buckets: int, movable: Callable[[CompiledQuery], bool]) -> Program:
        """From now on with so many buckets, as far as the state of queries can be moved."""
        moved = (
            replace(each.text, buckets=buckets) if movable(each) else each.text for each in self.compiled()
        )
        return self._next(queries=tuple(moved), buckets=buckets)

    def without_query(self, name: str) -> Program:
        return self._next(queries=tuple(each for each in self.queries if each.name != name))

    def free_name(self) -> str:
        """A name for a query that was given none."""
        taken = {text.name.lower() for text in self.queries}
        return next(name for number in itertools.count(1) if (name := f"q{number}") not in taken)

    def _next(self, **changes: Any) -> Program:
        """The following version; the plans of queries that go on are not made again."""
        following = replace(self, version=self.version + 1, **changes)
        following.__dict__["_made"] = self.__dict__.get("_plans", {})
        return following

    def save(self, directory: Path) -> None:
        write_json(_file(directory, self.version), asdict(self))

    @classmethod
    def load(cls, directory: Path, version: int) -> Program:
        if version == 0:
            return Program()
        path = _file(directory, version)
        return _loaded(path, path.stat().st_mtime_ns if path.exists() else 0)

    @staticmethod
    def forget(directory: Path, before: int) -> None:
        """Remove older versions than this one."""
        for path in directory.glob("*.json"):
            if int(path.stem) < before:
                path.unlink(missing_ok=True)

    @staticmethod
    def newest(directory: Path) -> int:
        """The highest version that was saved; 0 where there is none."""
        return max((int(path.stem) for path in directory.glob("*.json")), default=0)


def declared(definition: Definition, catalog: Catalog) -> Readable | Aggregate:
    """What a definition declares."""
    (statement,) = parse(definition.sql)
    if isinstance(statement, CreateAggregate):
        aggregate = define_aggregate(statement, catalog)
        return replace(aggregate, limit=definition.aggregate_rows, patience=definition.aggregate_time)
    assert isinstance(statement, CreateStream | CreateDerivedStream | CreateRelation)
    defined = define(statement, catalog, allow_unbounded=definition.allow_unbounded)
    return defined if isinstance(defined, DerivedStream) else replace(defined, born=definition.born)


def planned(text: QueryText, catalog: Catalog) -> CompiledQuery:
    """A query's plan, the cheapest that there is, cut into stages."""
    bound = bind(parse_query(text.sql), catalog, allow_unbounded=text.allow_unbounded)
    choice = choose(bound, Statistics.read(text.statistics), Expiration(text.expiration))
    return CompiledQuery(text, choice, compile_plan(choice.plan, gathered=text.queued is not None))


_CATALOGS: list[tuple[tuple[Definition, ...], Catalog]] = []
"""The latest that were asked for, the newest first."""


def _catalog(definitions: tuple[Definition, ...]) -> Catalog:
    """What these declare: grown from what the first of them did, where that was asked for before."""
    fits = (each for each in _CATALOGS if definitions[: len(each[0])] == each[0])
    known, found = max(fits, key=lambda each: len(each[0]), default=((), Catalog()))
    if len(known) < len(definitions):
        found = Catalog(dict(found.streams), dict(found.relations), dict(found.aggregates))
        for definition in definitions[len(known) :]:
            found.add(declared(definition, found))
        _CATALOGS[:] = [(definitions, found), *_CATALOGS[:7]]
    return found


@functools.lru_cache(maxsize=4096)
def _planned(text: QueryText, definitions: tuple[Definition, ...]) -> CompiledQuery:
    return planned(text, _catalog(definitions))


@functools.lru_cache(maxsize=8)
def _loaded(path: Path, _written: int) -> Program:
    """A version, read once; one that was written later is another."""
    told: Mapping[str, Any] = read_json(path)
    try:
        return Program(
            told["version"],
            tuple(Definition(**each) for each in told["definitions"]),
            tuple(map(QueryText.from_plain, told["queries"])),
            told["buckets"],
        )
    except (KeyError, TypeError) as error:
        raise unusable(path) from error


def _file(directory: Path, version: int) -> Path:
    return directory / f"{version:08d}.json"
