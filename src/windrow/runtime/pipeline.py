"""A pipeline: logs of streams and relations, the program that reads them, and the way from batches to
sinks."""

from __future__ import annotations

import shutil
import threading
import time
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa

from windrow.catalog import Relation, Stream
from windrow.delta import BEGINNING, NEVER, Delta, concat, in_time_order
from windrow.errors import CheckpointError, Error
from windrow.language.settings import Settings
from windrow.log.file_log import FileLog
from windrow.log.hand_moved import HandMovedWall
from windrow.log.index import ENTRY, Entries, Index
from windrow.log.inlet import StreamInlet, WallClock
from windrow.log.reading import Offsets, Span
from windrow.log.relation_log import Stamp, first_amid, first_untold, relation_schemas
from windrow.log.standing import standing
from windrow.log.stream_log import LogReader, MemoryLog, StreamLog, part_schemas
from windrow.operators.base import FAILURES
from windrow.plan.history import History
from windrow.runtime.beginning import beginning
from windrow.runtime.checkpoint import Checkpoint
from windrow.runtime.execution import PROGRAM, Batch, Effort, Result
from windrow.runtime.feeding import Backlog, Feed, Pacemaker
from windrow.runtime.metrics import (
    Delays,
    Lag,
    Meter,
    Metrics,
    QueryMeter,
    StreamMetrics,
    seconds_by_phase,
)
from windrow.runtime.offsets import next_offsets
from windrow.runtime.phases import EXCHANGE, PHASES, SINK
from windrow.runtime.program import CompiledQuery, Program
from windrow.runtime.relations import Relations
from windrow.runtime.remaking import is_in_logs
from windrow.runtime.retention import first_kept, oldest
from windrow.sinks.base import FileSink, Part, Sink
from windrow.sources.base import Source
from windrow.sources.registry import open_source

FAILURES_KEPT = 1000
NOTICES_KEPT = 100


@dataclass(slots=True)
class Running:
    """A query as the driver sees it: where its changes go, and how far it is."""

    query: CompiledQuery
    sink: Sink
    clock: int = BEGINNING
    tuples_out: int = 0
    failed: int = 0
    counted: int = -1
    """The last batch that is in these figures: one that is repeated is not counted again."""
    failures: pa.Table = field(default_factory=FAILURES.empty_table)
    """The latest tuples that an expression could not be computed for, and why."""
    meter: QueryMeter = field(default_factory=QueryMeter)


@dataclass(slots=True)
class StreamState:
    """A stream as the driver sees it."""

    stream: Stream
    log: StreamLog
    inlet: StreamInlet
    feed: Feed | None = None


class Pipeline:
    """All that runs under one checkpoint, whichever runner drives it. Safe from any thread."""

    def __init__(
        self, checkpoint: Checkpoint, settings: Settings, now: WallClock, *, on_disk: bool
    ) -> None:
        self.checkpoint = checkpoint
        self.settings = settings
        self.meter = Meter()
        self.arrived = threading.Event()
        """Set whenever a log or the program has changed."""
        self.backlog = Backlog(lambda: settings.number("backlog"))
        self.lock = threading.RLock()
        self.running: dict[str, Running] = {}
        self.notices: deque[str] = deque(maxlen=NOTICES_KEPT)
        """What users should know, and nobody has told them yet."""
        self._delays_since = BEGINNING
        """Delays of what arrived before are not told."""
        self._doomed: list[tuple[int, Path]] = []
        """Folders of dropped streams, and the version of the program that they are not in."""
        self._cleared = -1
        """The version of the program that state was last cleared away for."""
        self._streams: dict[str, StreamState] = {}
        self._now = now
        self._on_disk = on_disk
        programs = checkpoint.path / "programs"
        self.program = Program.load(programs, Program.newest(programs))
        self._remove_orphans()
        self.relations = Relations(self._standing, now, self.arrived.set)

    @property
    def logs(self) -> Mapping[str, StreamLog]:
        """Those of streams and of relations."""
        return {**{name: state.log for name, state in self._streams.items()}, **self.relations.logs}

    # Streams and queries come and go

    def open_stream(self, stream: Stream) -> None:
        """Open the stream's log; its tuples can be pushed from now on."""
        log = self._open_log(stream.log, part_schemas(stream))
        inlet = StreamInlet(
            stream,
            log,
            now=self._now,
            wait_for_room=lambda: self.backlog.wait_for_room(stream.log, log),
            on_arrival=self.arrived.set,
        )
        with self.lock:
            self._streams[stream.log] = StreamState(stream, log, inlet)

    def close_stream(self, stream: Stream) -> None:
        """Forget a stream that no query reads, and what its log holds."""
        with self.lock:
            state = self._streams.pop(stream.log)
        if state.feed:
            state.feed.stop()
        state.log.close()
        self._doomed.append((self.program.version, self._log_folder(stream.log)))

    def open_relation(self, relation: Relation) -> None:
        """Open the relation's log; statements can change it from now on."""
        self.relations.open(relation, self._open_log(relation.log, relation_schemas(relation)))

    def close_relation(self, relation: Relation) -> None:
        """Forget a relation that no query reads, and what its log holds."""
        self.relations.forget(relation)
        self._doomed.append((self.program.version, self._log_folder(relation.log)))

    def inlet(self, stream: Stream) -> StreamInlet:
        return self._streams[stream.log].inlet

    def move_wall(self, microseconds: int) -> None:
        """Move a wall clock that stands still by itself."""
        if not isinstance(self._now, HandMovedWall):
            raise Error(
                "the clock on the wall moves by itself", hint="`windrow test` has one that is moved by hand"
            )
        self._now.move(microseconds)

    def beat(self) -> None:
        """A heartbeat of every stream: what the system stamps has the wall clock's time."""
        for state in list(self._streams.values()):
            state.inlet.beat()

    def put_in_force(self, program: Program, sinks: Mapping[str, Sink]) -> None:
        """Make this the program from the next batch on; `sinks` has those of queries that are new."""
        with self.lock:
            program.save(self.checkpoint.path / "programs")
            queries = {query.name: query for query in program.compiled()}
            for name in self.running.keys() - queries.keys():
                self.running.pop(name).sink.close()
            for name, sink in sinks.items():
                self.running[name] = Running(queries[name], sink)
            self.program = program
        self.arrived.set()

    def tell_beginning(self, query: CompiledQuery) -> None:
        """Note with what of the past a query starts that comes while others run."""
        if any(self.backlog.position(stream.log) for stream in query.streams):
            self.notices.append(beginning(query, self.logs))

    def spread(self, buckets: int) -> None:
        """Move what queries remember to so many buckets, from the next batch on."""
        logs = self.logs
        spread = self.program.spread(buckets, lambda query: is_in_logs(query, logs))
        for text in spread.queries:
            if text.buckets != buckets:
                self.notices.append(
                    f"{text.name} stays in the buckets that it has: the log holds too little to move it"
                )
        self.put_in_force(spread, {})

    def resume(self, query: CompiledQuery, sink: Sink) -> None:
        """Go on with a query that the checkpoint's program has."""
        self.running[query.name] = Running(query, sink)

    # Sources

    def feed(self) -> None:
        """Start the sources of the streams that queries read, and stop those that none reads."""
        needed = self.program.streams_read()
        for name, state in list(self._streams.items()):
            wanted = name in needed and state.stream.source not in (None, "push")
            if wanted and state.feed is None:
                state.feed = self._opened_feed(state)
            elif not wanted and state.feed is not None:
                state.feed.stop()
                state.feed = None

    def check_source(self, stream: Stream) -> None:
        """Refuse a stream whose source cannot be, or cannot fill it; nothing is opened."""
        if stream.source is not None:
            self._source_of(stream)

    def _source_of(self, stream: Stream, journal: Path | None = None) -> Source | None:
        settings = {"max_line": self.settings.number("max_line")}
        return open_source(str(stream.source), stream, settings, journal=journal)

    def _opened_feed(self, state: StreamState) -> Feed | None:
        journal = self.checkpoint.path / "sources" / state.stream.log
        journal.parent.mkdir(exist_ok=True)
        source = self._source_of(state.stream, journal)
        name, log = state.stream.log, state.log
        wait = partial(self.backlog.wait_for_room, name, log)
        return Feed(source, state.inlet, wait) if source else None

    def pulse(self) -> None:
        """Move silent streams on, and raise what a source failed of."""
        states = dict(self._streams)
        inlets = {name: state.inlet for name, state in states.items()}
        groups = [query.streams for query in self.program.compiled() if query.streams]
        Pacemaker(self._now, self.settings.number("idle_timeout")).pulse(groups, inlets)
        for state in states.values():
            if state.feed and (failure := state.feed.failure):
                state.feed.stop()
                state.feed = None  # so that the next run opens the source again
                raise failure

    @property
    def sources_idle(self) -> bool:
        return all(state.feed.idle for state in self._streams.values() if state.feed)

    # Batches

    def logs_read(self) -> dict[str, LogReader]:
        """The logs of the streams that the queries read."""
        return {name: self._streams[name].log for name in self.program.streams_read()}

    def relation_logs_read(self) -> dict[str, LogReader]:
        logs = self.relations.logs
        return {name: logs[name] for name in self.program.relations_read()}

    def go_on_from(self, done: Offsets) -> None:
        """The next batch begins here; refused if logs and program are not those that batches have read."""
        there = {name: log.index().end for name, log in self.logs.items()} | {PROGRAM: self.program.version}
        for name, end in there.items():
            if done.get(name, 0) > end:
                raise CheckpointError(
                    f"the checkpoint is of several runs: batches have read {name} up to {done[name]},"
                    f" and it ends at {end}",
                    hint="restore the whole checkpoint from one copy, or start with a new one",
                )
        unseen = dict.fromkeys(self.program.streams_read(), 0)
        self.backlog.processed(unseen | dict(done))

    def next_batch(self, start: Offsets) -> Offsets | None:
        """The end of the batch that starts here; None while there is nothing new."""
        rows = self.settings.number("batch_rows")
        logs = self.logs_read(), self.relation_logs_read()
        return next_offsets(start, *logs, self.program.version, rows)

    def commit(
        self, batch: Batch, results: Iterable[Result | Effort], ran: float, *, side_by_side: bool = False
    ) -> None:
        """Hand a batch's results to the sinks. Safe to repeat with the same batch. It ran for so many
        seconds, in places one after another or side by side."""
        began = time.perf_counter()
        by_query: dict[str, list[Result]] = {}
        efforts: dict[str, list[Effort]] = {}
        for each in results:
            if isinstance(each, Result):
                by_query.setdefault(each.query, []).append(each)
            else:
                efforts.setdefault(each.query, []).append(each)
        took = partial(seconds_by_phase, side_by_side=side_by_side)
        phases = took(chain(*efforts.values()), ran)
        tuples_out = 0
        with self.lock:
            for name, parts in by_query.items():
                running = self.running.get(name)
                # The batch may be of a query that was dropped since, and its name may be taken again.
                if running and running.query.text.born <= batch.end[PROGRAM]:
                    ordered = sorted(parts, key=lambda result: result.place)
                    _put_out(running, batch.number, ordered, efforts.get(name, []))
                    tuples_out += sum(result.rows for result in parts)
                    own = took(efforts.get(name, []), 0.0)
                    running.meter.phases = own | {EXCHANGE: phases[EXCHANGE]}
            tuples_in, delays = self._arrivals(batch)
        phases[SINK] += time.perf_counter() - began
        self.meter.batch_done(tuples_in, tuples_out, delays, {name: phases[name] for name in PHASES})
        self.backlog.processed(batch.end)
        self._forget(batch)
        self._clear_away(batch)

    def metrics(self) -> Metrics:
        with self.lock:
            streams = tuple(_stream_metrics(state) for state in self._streams.values())
            kept = sum(running.meter.state["bytes"] for running in self.running.values())
            lag = self._lag(self.program.streams_read())
        return self.meter.metrics(lag, kept, streams)

    def lag(self, query: CompiledQuery) -> Lag:
        """How far behind its streams a query is."""
        with self.lock:
            return self._lag(stream.log for stream in query.streams)

    def forget_delays(self) -> None:
        """Tell delays of what arrives from now on, and of answers to come."""
        with self.lock:
            self._delays_since = self._now()
            self.meter.forget_delays()
            for running in self.running.values():
                running.meter.forget_delays()

    def close(self) -> None:
        """Stop the sources, close sinks and logs."""
        for state in self._streams.values():
            if state.feed:
                state.feed.stop()
        for running in self.running.values():
            running.sink.close()
        for state in self._streams.values():
            state.log.close()
        self.relations.close()

    def _standing(self) -> AbstractContextManager[Stamp]:
        return standing(state.inlet for _, state in sorted(self._streams.items()))

    def _open_log(self, name: str, schemas: tuple[pa.Schema, ...]) -> StreamLog:
        if not self._on_disk:
            return MemoryLog()
        return FileLog(self._log_folder(name), schemas, durable=self.checkpoint.lasting)

    def _remove_orphans(self) -> None:
        """Logs of what was dropped before the last process ended."""
        _remove_others(self.checkpoint.path / "log", self.program.logs())

    def _log_folder(self, name: str) -> Path:
        return self.checkpoint.path / "log" / name

    def _lag(self, names: Iterable[str]) -> Lag:
        waiting: list[Entries] = [np.empty(0, ENTRY)]
        for name in self._streams.keys() & set(names):
            index = self._streams[name].log.index()
            entries = index.between(self.backlog.position(name), index.end).entries
            waiting.append(entries[entries["rows"][:, 0] > 0])
        entries = np.concatenate(waiting)
        if not len(entries):
            return Lag()
        oldest = int(entries["arrived"].min())
        return Lag(int(entries["rows"][:, 0].sum()), max(0.0, (self._now() - oldest) / 1e6))

    def _arrivals(self, batch: Batch) -> tuple[int, Delays]:
        """How many tuples the batch brought, and how long ago each came in of which that is told."""
        arrived, rows = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for name in self.program.streams_read().keys() & self._streams.keys():
            index = self._streams[name].log.index()
            entries = index.between(batch.start.get(name, 0), batch.end.get(name, 0)).entries
            arrived.append(entries["arrived"])
            rows.append(entries["rows"][:, 0])
        counts, moments = np.concatenate(rows), np.concatenate(arrived)
        told = (counts > 0) & (moments >= self._delays_since)
        return int(counts.sum()), ((self._now() - moments[told]) / 1e6, counts[told])

    def _clear_away(self, batch: Batch) -> None:
        """Remove dropped streams and versions of the program that no batch will ask for again."""
        gone = [folder for version, folder in self._doomed if version <= batch.start.get(PROGRAM, 0)]
        self._doomed = [each for each in self._doomed if each[1] not in gone]
        for folder in gone:
            shutil.rmtree(folder, ignore_errors=True)
        Program.forget(self.checkpoint.path / "programs", before=batch.start.get(PROGRAM, 0))
        if batch.end[PROGRAM] == self.program.version != self._cleared:
            self._cleared = self.program.version
            known = {text.key for text in self.program.queries}
            _remove_others(self.checkpoint.path / "state", known)

    def _forget(self, batch: Batch) -> None:
        """Drop what no query needs any more, no window in use holds and no RETAIN protects, even if this
        batch is run again."""
        seen = {name: log.index() for name, log in self.logs_read().items()}
        for name in (batch.start.keys() & self._streams.keys()) - seen.keys():
            self._streams[name].log.drop_before(min(batch.start[name], self._first_retained(name)))
        held = self.program.history()
        needed: dict[str, list[int]] = {name: [] for name in seen}
        if batch.start.get(PROGRAM, 0) < self.program.version:
            return  # a query that is new, or that moves, still has to see all of history
        for query in self.program.compiled():
            clock = Span.of(query.streams, seen, batch.start, batch.start).clock
            for stream in query.streams:
                needed[stream.log].append(first_kept(stream, seen[stream.log], clock, held[stream]))
        for name in seen:
            needed[name].append(self._first_retained(name))
            self._streams[name].log.drop_before(min(batch.start.get(name, 0), *needed[name]))
        if relations := self.relations.with_history():
            self.relations.fold(self._foldable(batch, relations))

    def _first_retained(self, name: str) -> int:
        state = self._streams[name]
        history = History(time=state.stream.retain)
        return first_kept(state.stream, state.log.index(), state.inlet.newest, history)

    def _foldable(self, batch: Batch, relations: Mapping[str, Index]) -> dict[str, int]:
        """Up to where each relation's history tells no query anything, even if this batch is run again."""
        streams = [(state.stream, state.log.index()) for state in list(self._streams.values())]
        since = min((oldest(*each) for each in streams), default=NEVER)
        limits = {name: first_amid(index, since) for name, index in relations.items()}
        seen = {**{name: log.index() for name, log in self.logs.items()}, **relations}
        for query in self.program.compiled():
            clock = Span.of(query.streams, seen, batch.start, batch.start, query.relations).clock
            for name in limits.keys() & {relation.log for relation in query.relations}:
                untold = first_untold(query.streams, seen[name], batch.start.get(name, 0), clock)
                limits[name] = min(limits[name], untold)
        return limits


def _remove_others(folder: Path, known: Collection[str]) -> None:
    """Remove what is in a folder, but for what is known."""
    for path in folder.glob("*"):
        if path.name not in known:
            shutil.rmtree(path, ignore_errors=True)


def _put_out(running: Running, number: int, parts: list[Result], efforts: list[Effort]) -> None:
    if isinstance(running.sink, FileSink):
        running.sink.commit(number, [part.content for part in parts if isinstance(part.content, Part)])
    elif deltas := [part.content for part in parts if isinstance(part.content, Delta)]:
        running.sink.write(number, in_time_order(concat(deltas)))
    if number > running.counted:
        running.counted = number
        _count(running, parts, efforts)


def _count(running: Running, parts: list[Result], efforts: list[Effort]) -> None:
    running.clock = max(running.clock, *(part.clock for part in parts))
    running.tuples_out += sum(part.rows for part in parts)
    for effort in efforts:
        running.meter.add(effort.stage, effort.place, effort.tallies)
    for part in parts:
        running.meter.add_delays(part.delays)
        running.failed += part.failures.num_rows
        running.failures = pa.concat_tables([running.failures, part.failures])
        running.failures = running.failures.slice(max(0, running.failures.num_rows - FAILURES_KEPT))


def _stream_metrics(state: StreamState) -> StreamMetrics:
    entries = state.log.index().entries
    accepted, late, rejected = entries[-1]["totals"].tolist() if len(entries) else (0, 0, 0)
    clock = state.inlet.clock
    return StreamMetrics(state.stream.name, accepted, late, rejected, None if clock == BEGINNING else clock)
