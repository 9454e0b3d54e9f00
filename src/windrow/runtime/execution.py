"""Running a batch: the same functions in one process and in Spark's workers.

The first stage of each query reads slices of the stream logs; what a stage gives goes on by bucket;
what the last one gives goes to the query's sink. Everything here is a function of the program and a
range of log positions, so a batch that is run again gives the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from windrow.delta import BEGINNING, Delta, concat, in_time_order
from windrow.expressions.buckets import HOME, buckets
from windrow.log.reading import Offsets, Slice, Span
from windrow.log.stream_log import LogReader
from windrow.plan.effort import Delays, Tallies
from windrow.plan.joins import RelationScan
from windrow.plan.nodes import Distribution, Leaf, Scan
from windrow.plan.running import RunningStage
from windrow.plan.stages import RESULT, Stage, StageOutput
from windrow.runtime.delivery import file_sink
from windrow.runtime.phases import EXCHANGE, OPERATORS, READ, ROUTE, SINK, STATE, Stopwatch
from windrow.runtime.program import CompiledQuery, Program, QueryText
from windrow.runtime.state import NOTHING, Places
from windrow.sinks.base import Part

PROGRAM, NUMBER = "program", "batch"
"""The two entries of a batch's offsets that are no log positions."""


@dataclass(frozen=True, slots=True)
class Batch:
    """From where in the logs, and in the versions of the program, to where."""

    start: Offsets
    end: Offsets

    @property
    def number(self) -> int:
        return self.end[NUMBER]

    def is_first_of(self, query: CompiledQuery) -> bool:
        """Whether the query was not there before: it starts with the history in the logs."""
        return query.text.born > self.start.get(PROGRAM, 0)

    def start_of(self, query: CompiledQuery) -> Offsets:
        return {} if self.is_first_of(query) else self.start

    def state_of(self, query: CompiledQuery) -> int:
        """The version of the state that the query goes on from."""
        return NOTHING if self.is_first_of(query) else self.start[NUMBER]


@dataclass(frozen=True, slots=True)
class Exchanged:
    """Tuples on their way to one bucket of the next stage."""

    query: str
    exchange: str
    bucket: int
    sender: int
    """The slice or bucket that they come from; what comes from one is in time order."""
    delta: Delta


@dataclass(frozen=True, slots=True)
class Result:
    """What a query's last stage gave in one place: a delta, or the file already written from it."""

    query: str
    place: int
    clock: int
    rows: int
    content: Delta | Part | None
    failures: pa.Table
    """Tuples that an expression could not be computed for, and why."""
    delays: Delays
    """How long after their instants its changes showed."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What the steps of a query's stage did in one place, and how long its phases took there."""

    query: str
    stage: int
    place: int
    tallies: Tallies
    phases: Mapping[str, float]


Message = Exchanged | Result | Effort


@dataclass(frozen=True, slots=True)
class Work:
    """What the stages of a batch need to know, wherever they run."""

    program: Program
    batch: Batch
    buckets: int
    """Of queries that say nothing else."""
    checkpoint: Path

    @property
    def places(self) -> int:
        """The buckets of the query that has the most."""
        return max(map(self.buckets_of, self.program.queries), default=1)

    def buckets_of(self, query: QueryText) -> int:
        return query.buckets or self.buckets

    @property
    def stages(self) -> int:
        """Of the query that has the most."""
        return max((len(query.compiled.stages) for query in self.program.compiled()), default=1)

    def first_stage(self, logs: Mapping[str, LogReader], slice_: Slice) -> Iterator[Message]:
        """What a slice of what is logged brings each query."""
        seen = {name: log.index() for name, log in logs.items()}
        leaders, told = self._leaders(), dict[str, list[Message]]()
        for query in self.program.compiled():
            if (leader := leaders[query.name]) is not query:
                yield from (_as_of(query, message) for message in told.get(leader.name, []))
                continue
            if any(name not in logs for name in query.logs):
                continue  # both were dropped since the batch began, and nobody waits for its results
            stage = query.compiled.stages[0]
            offsets = self.batch.start_of(query), self.batch.end
            span = Span.of(query.streams, seen, *offsets, query.relations)
            if not span.rows and span.before == span.clock and len(query.compiled.stages) == 1:
                continue
            watch = Stopwatch()
            inputs = {each.id: _read(query, each.leaf, span, logs, slice_) for each in stage.inputs}
            watch.lap(READ)
            running = query.start(stage, home=True)
            given = self._run(query, stage, running, inputs, slice_.number, watch)
            yield from given
            effort = Effort(query.name, 0, slice_.number, running.take_tallies(), watch.seconds)
            yield effort
            told[query.name] = [*(each for each in given if isinstance(each, Result)), effort]

    def later_stage(
        self, number: int, bucket: int, messages: Iterable[Message], places: Places
    ) -> Iterator[Message]:
        """What a bucket makes of what the stage before sent it; all else only passes through."""
        arrived: dict[tuple[str, str], list[Exchanged]] = {}
        for message in messages:
            if isinstance(message, Exchanged):
                arrived.setdefault((message.query, message.exchange), []).append(message)
            else:
                yield message
        leaders, merged = self._leaders(), dict[tuple[str, str], Delta]()
        for query in self.program.compiled():
            if len(query.compiled.stages) <= number:
                continue
            stage = query.compiled.stages[number]
            sender = leaders[query.name].name if number == 1 else query.name
            wanted = {each.id: (sender, each.id) for each in stage.inputs}
            if any(each not in arrived and each not in merged for each in wanted.values()):
                continue
            watch = Stopwatch()
            merged |= {each: _together(arrived.pop(each)) for each in wanted.values() if each in arrived}
            inputs = {id_: merged[each] for id_, each in wanted.items()}
            watch.lap(EXCHANGE)
            start = partial(query.start, stage, home=bucket == HOME)
            place, after = places.place(query.key, number, bucket), self.batch.state_of(query)
            with place.at(self.batch.number, start, after) as running:
                watch.lap(STATE)
                given = self._run(query, stage, running, inputs, bucket, watch)
            watch.lap(STATE)
            yield from given
            yield Effort(query.name, number, bucket, running.take_tallies(), watch.seconds)
        places.forget_others({query.key for query in self.program.compiled()})
        places.map_anew()

    def _leaders(self) -> dict[str, CompiledQuery]:
        """For each query the first one whose first stage sends the same: it is run, and sent, once."""
        first: dict[Hashable, CompiledQuery] = {}
        return {
            query.name: first.setdefault(self._sent_by(query), query) for query in self.program.compiled()
        }

    def _sent_by(self, query: CompiledQuery) -> Hashable:
        stage = query.compiled.stages[0]
        if any(output.to is None for output in stage.outputs):
            return query.name  # an answer goes to the query's own sink
        return stage, self.buckets_of(query.text), self.batch.is_first_of(query)

    def _run(
        self,
        query: CompiledQuery,
        stage: Stage,
        running: RunningStage,
        inputs: Mapping[str, Delta],
        place: int,
        watch: Stopwatch,
    ) -> list[Message]:
        given = running.on_deltas(inputs)
        failures = running.take_failures()
        watch.lap(OPERATORS)
        messages: list[Message] = []
        for output in stage.outputs:
            delta = given[output.id]
            if output.id == RESULT:
                messages.append(self._result(query, delta, failures, place, running.delays(delta)))
                watch.lap(SINK)
            elif output.to:
                messages += self._spread(query, output, output.to, delta, place)
                watch.lap(ROUTE)
        if failures.num_rows and all(output.id != RESULT for output in stage.outputs):
            messages.append(Result(query.name, place, BEGINNING, 0, None, failures, Delays()))
        return messages

    def _result(
        self, query: CompiledQuery, delta: Delta, failures: pa.Table, place: int, delays: Delays
    ) -> Result:
        sink = file_sink(query, self.checkpoint)
        content: Delta | Part | None = delta
        if sink is not None:
            content = sink.write_part(self.batch.number, place, delta) if len(delta) else None
        return Result(query.name, place, delta.clock, len(delta), content, failures, delays)

    def _spread(
        self, query: CompiledQuery, output: StageOutput, to: Distribution, delta: Delta, place: int
    ) -> Iterator[Exchanged]:
        """A delta for each bucket, even an empty one: it carries the clock."""
        count = self.buckets_of(query.text)
        if count == 1:
            yield Exchanged(query.name, output.id, HOME, place, delta)
            return
        bucket_of = buckets(delta.rows, to.keys, count)
        for bucket in range(count):
            yield Exchanged(query.name, output.id, bucket, place, delta.take(bucket_of == bucket))


def _read(
    query: CompiledQuery, leaf: Leaf, span: Span, logs: Mapping[str, LogReader], slice_: Slice
) -> Delta:
    """What a slice brings to a leaf of the first stage."""
    if isinstance(leaf, RelationScan):
        return span.read_updates(query.relations.index(leaf.relation), logs, leaf.columns, slice_)
    assert isinstance(leaf, Scan)
    return span.read(query.streams.index(leaf.stream), logs, leaf.columns, slice_)


def _as_of(query: CompiledQuery, message: Message) -> Message:
    """What is told of a query's first stage, as of another one that it was also run for."""
    if isinstance(message, Effort):
        tallies = {step: replace(tally, seconds=0.0) for step, tally in message.tallies.items()}
        return replace(message, query=query.name, tallies=tallies, phases={})
    return replace(message, query=query.name)


def _together(messages: list[Exchanged]) -> Delta:
    """What several places sent, in time order; slices come one after another, buckets side by side."""
    ordered = sorted(messages, key=lambda message: message.sender)
    return in_time_order(concat([message.delta for message in ordered]))


def work_of(checkpoint: Path, batch: Batch, buckets: int) -> Work:
    """A batch's work, with the program that was in force at its end."""
    program = Program.load(checkpoint / "programs", batch.end[PROGRAM])
    return Work(program, batch, buckets, checkpoint)


def run_here(work: Work, logs: Mapping[str, LogReader], places: Places) -> list[Result | Effort]:
    """Run a whole batch in this process: one slice, one bucket after another."""
    messages = list(work.first_stage(logs, Slice()))
    for number in range(1, work.stages):
        by_bucket: dict[int, list[Message]] = {bucket: [] for bucket in range(work.places)}
        for message in messages:
            by_bucket[message.bucket if isinstance(message, Exchanged) else 0].append(message)
        messages = [
            given
            for bucket, share in by_bucket.items()
            for given in work.later_stage(number, bucket, share, places)
        ]
    return [message for message in messages if not isinstance(message, Exchanged)]
