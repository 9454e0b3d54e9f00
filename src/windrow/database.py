"""A database: what is declared, what runs, and the pipeline that carries it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, Self

import pyarrow as pa

from windrow.arriving import Instant, as_arriving, as_microseconds
from windrow.catalog import Aggregate, Catalog, Part, Readable, Relation, Stream
from windrow.delta import BEGINNING
from windrow.errors import CheckpointError, Error, SettingError, SinkError
from windrow.expressions.sorting import in_order
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.aggregate_uses import check_unused
from windrow.language.binder import bind
from windrow.language.names import suggest
from windrow.language.parser import parse, parse_query
from windrow.language.settings import Settings
from windrow.language.statements import CreateDerivedStream, CreateRelation, CreateStream
from windrow.log.inlet import WallClock, wall_clock
from windrow.plan.answer_order import answer_order
from windrow.plan.expiration import Expiration
from windrow.plan.nodes import Node
from windrow.runtime.checkpoint import Checkpoint
from windrow.runtime.claims import check_definition, check_script, claimed, key_of
from windrow.runtime.delivery import CALLBACK, MEMORY, sink_for
from windrow.runtime.inline import InlineEngine
from windrow.runtime.metrics import Lag, Metrics
from windrow.runtime.observing import observed
from windrow.runtime.pipeline import Pipeline, Running
from windrow.runtime.program import CompiledQuery, Definition, QueryText, declared
from windrow.runtime.queued.pace import Pace
from windrow.runtime.relations import Relations
from windrow.runtime.runner import Engine, Runner
from windrow.runtime.snapshot import snapshot
from windrow.schema import Schema
from windrow.session import Outcome, execute
from windrow.sinks.base import Sink
from windrow.sinks.callback import Callback
from windrow.sinks.memory import MemorySink

Format = Literal["text", "json", "dot"]
RUNNERS = ("spark", "inline")
TICK = 0.1
"""Seconds between two looks at sources and progress."""


class Query:
    """A persistent query: what it selects, how far it is, and what came of it."""

    def __init__(self, database: Database, running: Running) -> None:
        self._database = database
        self._running = running

    @property
    def name(self) -> str:
        return self._running.query.name

    @property
    def sql(self) -> str:
        return self._running.query.text.sql

    @property
    def sink(self) -> str:
        """Where its changes go, a URI."""
        return self._running.query.text.sink

    @property
    def plan(self) -> Node:
        return self._running.query.plan

    @property
    def schema(self) -> Schema:
        return self._running.query.plan.schema

    @property
    def clock(self) -> int | None:
        """The instant that the answer is complete up to, in microseconds; None before the first."""
        return None if self._running.clock == BEGINNING else self._running.clock

    def changes(self) -> pa.Table:
        """What was emitted since the last call: `op`, `ts`, and the query's columns."""
        return self._memory().changes()

    def answer(self) -> pa.Table:
        """The answer at the query's clock; if the query says so, in order."""
        return in_order(self._memory().answer(), answer_order(self.plan))

    def explain(self, format: Format = "text") -> str:
        return self._running.query.explained(format)

    def metrics(self) -> dict[str, Any]:
        """What came of it and what it took.

        `tuples_out`, and how many tuples an expression could not be computed for, with reasons; `delay`,
        in seconds of the streams' time, from when something happened until the answer showed it; `lag`, the
        tuples that have arrived and are not processed, and the seconds that the oldest has waited; the
        `state`'s rows and bytes; `phases`, the seconds that the last batch spent with reading, routing,
        exchanging, each step, state and sink; and for each step of the plan `positive`, `negative` and
        `messages` that it gave, `probes`, the `seconds` that it took, and the `rows` and `bytes` of its
        state.
        """
        running = self._running
        return {
            "tuples_out": running.tuples_out,
            "failed": running.failed,
            "failures": running.failures.to_pylist(),
            "delay": running.meter.delay(),
            "lag": asdict(self._database.lag(running)),
            "state": running.meter.state,
            "phases": running.meter.phases,
            "steps": running.meter.steps(),
        }

    def stop(self) -> None:
        """End the query and forget its state. What it wrote stays."""
        self._database.drop_query(self.name)

    def _memory(self) -> MemorySink:
        if isinstance(self._running.sink, MemorySink):
            return self._running.sink
        raise SinkError(
            f"the changes of {self.name} go to {self.sink}, not to memory",
            hint="read them there, or start the same SELECT with db.query(…)",
        )


class Database:
    """Streams and queries over one pipeline. Use it as a context manager, or call `close`."""

    def __init__(self, pipeline: Pipeline, engine: Engine, *, allow_python: bool = True) -> None:
        self.settings = pipeline.settings
        self.allows_python = allow_python
        """Whether statements may declare aggregates in Python."""
        self.catalog = Catalog()
        self.queries: dict[str, Query] = {}
        self._held = pipeline
        self._closed = False
        self._engine = engine
        self._runner: Runner | None = None
        self._restored_definitions: dict[str, Readable | Aggregate] = {}
        """What the checkpoint knows and nobody has declared again yet, by its key."""
        self._restored: list[QueryText] = []
        """Queries of the checkpoint that nobody has asked for again yet."""
        self._restore()

    # Declaring and feeding streams and tables

    def define(self, sql: str) -> Readable | Aggregate:
        """Declare something. What the checkpoint knows has to be declared as it was."""
        program = self._pipeline.program
        definition = Definition(
            sql,
            program.version + 1,
            self.settings.is_true("allow_unbounded"),
            self.settings.number("aggregate_rows"),
            self.settings.number("aggregate_time"),
        )
        if known := self._known_definition(sql):
            return known
        found = declared(definition, self.catalog)
        if isinstance(found, Stream):
            self._pipeline.check_source(found)
        self._open(found)
        self._pipeline.put_in_force(program.with_definition(definition), {})
        self.catalog.add(found)
        return found

    def _open(self, found: Readable | Aggregate) -> None:
        if isinstance(found, Stream):
            self._pipeline.open_stream(found)
        elif isinstance(found, Relation):
            self._pipeline.open_relation(found)

    def _known_definition(self, sql: str) -> Readable | Aggregate | None:
        """What of the checkpoint this statement declares once more."""
        (statement,) = parse(sql)
        assert isinstance(statement, CreateStream | CreateDerivedStream | CreateRelation | CreateAggregate)
        known = self._restored_definitions.get(key_of(statement))
        if known is not None:
            check_definition(statement, {key_of(known): known.sql})
            del self._restored_definitions[key_of(known)]
        elif isinstance(statement, CreateAggregate):
            check_unused(statement, self.catalog, self.texts())
        return known

    def drop(self, name: str) -> None:
        """Forget a stream or a table that nothing uses, and all that its log holds."""
        found = self.catalog.named(name)
        assert found is not None
        self.catalog.drop(name)
        self._restored_definitions.pop(key_of(found), None)
        self._pipeline.put_in_force(self._pipeline.program.without_definition(found.sql), {})
        if isinstance(found, Stream):
            self._pipeline.close_stream(found)
        elif isinstance(found, Relation):
            self._pipeline.close_relation(found)

    def drop_aggregate(self, name: str, *, base: bool = True) -> None:
        """Forget an aggregate that nothing uses; without its base version, the window version alone."""
        for each in self.catalog.aggregates[name.lower()]:
            if each.window or base:
                self.catalog.drop_aggregate(each)
                self._restored_definitions.pop(key_of(each), None)
                self._pipeline.put_in_force(self._pipeline.program.without_definition(each.sql), {})

    def texts(self) -> dict[str, str]:
        """The queries that run: their SQL by their names."""
        return {query.name: query.sql for query in self.queries.values()}

    def push(self, name: str, rows: pa.Table | pa.RecordBatch | Iterable[Any]) -> int:
        """Feed a stream, or insert into a table. Returns how many rows were given, when they are in
        its log."""
        if relation := self.catalog.relations.get(name.lower()):
            return self.relations.insert(relation, as_arriving(relation, rows))
        target = self._stream(name)
        table = as_arriving(target, rows)
        self._pipeline.inlet(target).accept(table)
        return table.num_rows

    def rows(self, table: str) -> pa.Table:
        """What a table holds now."""
        relation = self.catalog.relations.get(table.lower())
        if relation is None:
            known = [each.name for each in self.catalog.relations.values()]
            raise Error(f"there is no table {table}", hint=suggest(table, known, "tables are"))
        return self.relations.rows(relation)

    @property
    def relations(self) -> Relations:
        """What tables hold, and how that is changed."""
        return self._pipeline.relations

    def advance(self, stream: str, ts: Instant) -> None:
        """A heartbeat: all tuples up to and including this instant are in."""
        self._pipeline.inlet(self._stream(stream)).advance(as_microseconds(ts))

    def advance_clock(self, microseconds: int) -> None:
        """Move the wall clock of a database that was given one that is moved by hand."""
        self._pipeline.move_wall(microseconds)

    def beat(self) -> None:
        """A heartbeat: the clock of all that the system stamps is the wall clock's time."""
        self._pipeline.beat()

    # Queries

    def execute(self, sql: str) -> list[Outcome]:
        """Run statements in order; one outcome for each."""
        return execute(self, sql)

    def query(self, sql: str, name: str | None = None, into: str | Callback = MEMORY) -> Query:
        """Start a persistent query. Its changes go to memory, to a URI, or to a function that is
        called with (batch number, changes)."""
        target = CALLBACK if callable(into) else into
        text = parse_query(sql).text
        if claimed := self._claim(text, name, target):
            return self._adopt(claimed, into)
        program = self._pipeline.program
        told = replace(
            self._planning(text),
            name=name or program.free_name(),
            sink=target,
            queued=self._pace(),
            buckets=program.buckets,
        )
        if told.name.lower() in {known.lower() for known in self.queries}:
            raise Error(f"there is a query {told.name} already", hint=f"DROP QUERY {told.name} first")
        query = program.planned(told)
        sink = self._opened_sink(query, into)
        self._pipeline.tell_beginning(query)
        self._pipeline.put_in_force(program.with_query(told), {told.name: sink})
        self._know(told.name)
        return self.queries[told.name]

    def drop_query(self, name: str) -> None:
        """End a query; what it wrote stays."""
        name = next(known for known in self.queries if known.lower() == name.lower())
        self._pipeline.put_in_force(self._pipeline.program.without_query(name), {})
        self._restored = [text for text in self._restored if text.name != name]
        del self.queries[name]

    def snapshot(self, sql: str) -> pa.Table:
        """The answer of a query to all that has arrived, asked once.

        >>> import windrow
        >>> with windrow.connect(runner="inline") as db:
        ...     _ = db.execute("CREATE STREAM Bid (item INT, price REAL)")
        ...     _ = db.push("Bid", [(1, 5.0), (2, 50.0)])
        ...     db.snapshot("SELECT item FROM Bid WHERE price > 10").to_pylist()
        [{'item': 2}]
        """
        text = replace(
            self._planning(parse_query(sql).text, allow_unbounded=True), expiration=Expiration.UPA.value
        )
        with self.relations.still():
            return snapshot(self._pipeline.program, text, self._pipeline.logs, self._pipeline.checkpoint)

    def explain(self, sql: str, format: Format = "text") -> str:
        """The plan of a query."""
        text = self._planning(parse_query(sql).text)
        return self._pipeline.program.planned(text).explained(format)

    def _planning(self, sql: str, *, allow_unbounded: bool = False) -> QueryText:
        """A query, with all that its plan goes by as it is now."""
        allow_unbounded = allow_unbounded or self.settings.is_true("allow_unbounded")
        bound = bind(parse_query(sql), self.catalog, allow_unbounded=allow_unbounded)
        return QueryText(
            "",
            sql,
            MEMORY,
            self._pipeline.program.version + 1,
            changelog=self.settings.text("changelog"),
            expiration=self.settings.text("expiration"),
            allow_unbounded=allow_unbounded,
            statistics=observed(bound, self._pipeline.logs, self.relations.count).text,
        )

    # Running

    def run(
        self,
        seconds: float | None = None,
        *,
        until_idle: bool = False,
        progress: Callable[[Metrics], None] | None = None,
    ) -> None:
        """Process until the time is over, or nothing more is there, or for ever."""
        runner = self._started()
        deadline = None if seconds is None else time.monotonic() + seconds
        while deadline is None or time.monotonic() < deadline:
            idle = self._pipeline.sources_idle
            left = TICK if deadline is None else min(TICK, deadline - time.monotonic())
            worked = runner.step(0 if until_idle and idle else left)
            self._pipeline.feed()
            if progress:
                progress(self.metrics())
            if until_idle and idle and not worked:
                return

    def run_until_idle(self) -> None:
        """Process all that has arrived, and all that finite sources have now."""
        self.run(until_idle=True)

    def metrics(self) -> Metrics:
        return self._held.metrics()

    def notices(self) -> list[str]:
        """What you should know of how it goes, a line each, since the last call."""
        told = self._held.notices
        return [told.popleft() for _ in range(len(told))]

    def lag(self, running: Running) -> Lag:
        """How far a query is behind its streams."""
        return self._held.lag(running.query)

    def forget_delays(self) -> None:
        """From now on, metrics tell the delays of what arrives from now on: not of what piled up before."""
        self._pipeline.forget_delays()

    def close(self) -> None:
        """End all that runs; with a checkpoint, it goes on from here another time."""
        if self._closed:
            return
        self._closed = True
        with contextlib.ExitStack() as stack:
            stack.callback(self._held.checkpoint.close)
            stack.callback(self._held.close)
            if self._runner:
                stack.callback(self._runner.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def _pipeline(self) -> Pipeline:
        if self._closed:
            raise Error("the database is closed", hint="open it again with windrow.connect(…)")
        return self._held

    def unclaimed(self) -> tuple[str, ...]:
        """Queries that the checkpoint runs and that were not asked for since it was opened."""
        return tuple(text.sql for text in self._restored)

    def check_script(self, sql: str) -> None:
        """Refuse, before it is executed, a script that is not the one that the checkpoint runs."""
        defined = {key: each.sql for key, each in self._restored_definitions.items()}
        check_script(sql, defined, self._restored)

    def _restore(self) -> None:
        """Open what the checkpoint's program declares and runs."""
        program = self._pipeline.program
        for definition in program.definitions:
            found = declared(definition, self.catalog)
            self.catalog.add(found)
            self._restored_definitions[key_of(found)] = found
            self._open(found)
        for query in program.compiled():
            into = _lost if query.text.sink == CALLBACK else query.text.sink
            self._pipeline.resume(query, self._opened_sink(query, into))
            self._restored.append(query.text)
            self._know(query.name)

    def _claim(self, text: str, name: str | None, target: str) -> QueryText | None:
        found = claimed(self._restored, text, target, name)
        self._restored = [query for query in self._restored if query is not found]
        return found

    def _adopt(self, restored: QueryText, into: str | Callback) -> Query:
        if callable(into):
            running = self._pipeline.running[restored.name]
            running.sink = self._opened_sink(running.query, into)
        return self.queries[restored.name]

    def _opened_sink(self, query: CompiledQuery, into: str | Callback) -> Sink:
        rows = self.settings.number("memory_rows")
        self._engine.prepare([query.text.sink])
        sink = sink_for(query, self._pipeline.checkpoint.path, into, rows)
        sink.open(query.plan.schema)
        return sink

    def _pace(self) -> Pace | None:
        """How fast the steps of a query that starts now are to work, if from queues."""
        if self.settings.text("execution") == "batch":
            return None
        if not self._engine.runs_queued:
            raise SettingError(
                "queries run from queues in one process only",
                hint="use the inline runner, or SET execution = batch",
            )
        return Pace(self.settings.number("queue_cost"), self.settings.number("queue_slice"))

    def _know(self, name: str) -> None:
        self.queries[name] = Query(self, self._pipeline.running[name])

    def _started(self) -> Runner:
        if self._runner is None:
            read = self._pipeline.program.streams_read().values()
            self._engine.prepare(stream.source for stream in read if stream.source)
            self._runner = self._engine.start(self._pipeline)
        self._pipeline.feed()
        return self._runner

    def _stream(self, name: str) -> Stream:
        stream = self.catalog.find(name)
        if isinstance(stream, Stream) and stream.part is Part.TUPLES:
            return stream
        fed = [each.name for each in self.catalog.streams.values() if isinstance(each, Stream)]
        hint = suggest(name, fed, "these can") if fed else "declare it with CREATE STREAM"
        raise Error(f"there is no stream {name} that can be fed", hint=hint)


def _lost(_batch: int, _changes: pa.Table) -> None:
    raise SinkError(
        "a query of this checkpoint sends its changes to a Python function that is not there",
        hint="start it again with db.query(…, into=function), or drop it",
    )


def connect(
    runner: Literal["spark", "inline"] = "spark",
    master: str = "local[*]",
    checkpoint: str | Path | None = None,
    wall_clock: WallClock = wall_clock,
    allow_python: bool = True,
    **settings: object,
) -> Database:
    """Open a database.

    With a checkpoint, what ran there goes on; without one, all is forgotten at the end. Statements of
    people who may not run Python here belong into one that does not allow it.

    >>> import windrow
    >>> with windrow.connect(runner="inline") as db:
    ...     _ = db.execute("CREATE STREAM Bid (item INT, price REAL)")
    ...     expensive = db.query("SELECT item FROM Bid WHERE price > 10")
    ...     _ = db.push("Bid", [(1, 5.0), (2, 50.0)])
    ...     db.run_until_idle()
    ...     expensive.answer().to_pylist()
    [{'item': 2}]
    """
    if runner not in RUNNERS:
        raise SettingError(f"there is no runner '{runner}'", hint=f"runners are: {', '.join(RUNNERS)}")
    values = Settings()
    for name, value in settings.items():
        values.set(name, value)
    with contextlib.ExitStack() as undone:
        opened = Checkpoint(checkpoint)
        undone.callback(opened.close)
        if (kept := opened.keep("runner", runner)) != runner:
            raise CheckpointError(
                f"the checkpoint {opened.path} is of the {kept} runner", hint=f"go on with --runner {kept}"
            )
        on_disk = runner == "spark" or opened.lasting
        pipeline = Pipeline(opened, values, wall_clock, on_disk=on_disk)
        undone.callback(pipeline.close)
        database = Database(pipeline, _engine(runner, master), allow_python=allow_python)
        undone.pop_all()
    return database


def _engine(runner: str, master: str) -> Engine:
    """Spark is imported when it is asked for: the inline runner needs no JVM."""
    if runner == "inline":
        return InlineEngine()
    from windrow.runtime.spark.runner import SparkEngine

    return SparkEngine(master)
