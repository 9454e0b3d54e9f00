"""A query whose steps are joined by queues and have their turns one after another, on a virtual clock.

In batches every step gets the clock with its tuples. Here a tuple arrives at its timestamp, waits in queues
and takes time at each step; and the strategy (telling.py) decides how a step learns that time went by. So
what the strategies differ in, delay and work, shows, and is the same on any machine.

Whoever has two inputs takes what is in their queues in time order. If one of them is silent, it asks there
how far the time is (the local clocks of thesis 2.3.3): tuples must not meet in the wrong order.

At the end of a batch the queues are empty. What the batch's clock says beyond its tuples is a heartbeat,
which goes through all steps; under input_triggered it is the only thing that does so by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from windrow.buffers.parts import State
from windrow.delta import BEGINNING, NEVER, Delta, concat
from windrow.delta import Instants as Array
from windrow.operators.time_window import slot
from windrow.plan.effort import Delays, delays
from windrow.plan.nodes import Leaf, Node
from windrow.plan.running import RunningStage, Step
from windrow.runtime.queued.instants import Instants
from windrow.runtime.queued.pace import Pace
from windrow.runtime.queued.queue import Queue
from windrow.runtime.queued.telling import Telling

_OWN = "queues"


class _Turn:
    """A step, the queues before it, and what it knows of time."""

    def __init__(self, step: Step, telling: Telling) -> None:
        self.step = step
        self.queues = [
            Queue(Delta.empty(BEGINNING, each.schema.arrow), merges=telling.merges_messages)
            for each in step.node.inputs
        ]
        self.told = BEGINNING
        """The instant that it knows to have come."""
        self.ends = Instants()
        """When what it has sent ends, as far as somebody has to know."""
        self.wakes = Instants()
        """When it has something to do by itself."""
        self.slide = telling.wakes_at(step.node)
        self.is_heeded = telling.sends_messages
        """Whether somebody has to know of these ends."""

    @property
    def is_idle(self) -> bool:
        return all(queue.is_empty for queue in self.queues)


class QueuedStage(RunningStage):
    """The operators of a stage, each working from its queues."""

    def __init__(
        self, inputs: Mapping[Leaf, str], outputs: Mapping[str, Node], telling: Telling, pace: Pace
    ) -> None:
        super().__init__(inputs, outputs, home=True)
        self._telling, self._pace = telling, pace
        self._turns = {step.id: _Turn(step, telling) for step in self._steps}
        self._watched = {id_: list(self._alarms(turn)) for id_, turn in self._turns.items()}
        self._arriving: dict[str, Delta] = {}
        self._given: dict[str, list[Delta]] = {}
        self._late: list[Array] = []
        self.now = BEGINNING
        """The virtual clock."""
        self._admitted = BEGINNING
        """What arrived by then is in queues."""
        self._clock = BEGINNING
        """The instant that all arrivals are known up to."""
        self._newest = BEGINNING
        """The timestamp of the last arrival."""

    def on_deltas(self, inputs: Mapping[str, Delta]) -> dict[str, Delta]:
        """Let tuples arrive, and work until the queues are empty."""
        if not self._steps:
            return super().on_deltas(inputs)
        self._given = {id_: [] for id_ in self._outputs}
        self._late = []
        self.arrive(inputs)
        self.work(self._clock)
        if not self._telling.only_arrivals_tell or self._clock > self._newest:
            self._beat()
        return {id_: self._answer(id_) for id_ in self._outputs}

    def delays(self, given: Delta) -> Delays:
        return Delays.of(np.sort(np.concatenate([np.empty(0, np.int64), *self._late])))

    def arrive(self, inputs: Mapping[str, Delta]) -> None:
        """Tuples that come at their timestamps; no others will, up to their clock."""
        self._arriving = dict(inputs)
        self._clock = max(delta.clock for delta in inputs.values())
        newest = [int(delta.ts[-1]) for delta in inputs.values() if len(delta)]
        self._newest = max([self._newest, *newest])

    def work(self, until: int) -> None:
        """Give each step its turn, round after round, while there is work before an instant."""
        while True:
            busy = [self._have_turn(turn) for turn in self._turns.values()]
            if not any(busy):
                coming = self._next_instant()
                if coming == NEVER or coming > until:
                    return
                self.now = coming

    def save(self) -> dict[str, pa.Table]:
        turns = self._turns.items()
        kept = {f"told {id_}": np.array([turn.told]) for id_, turn in turns}
        kept |= {f"ends {id_}": turn.ends.all() for id_, turn in turns}
        kept |= {f"wakes {id_}": turn.wakes.all() for id_, turn in turns}
        kept |= {"clocks": np.array([self.now, self._newest])}
        own = {
            f"{_OWN}/{name}": pa.table({"at": pa.array(instants, pa.int64())})
            for name, instants in kept.items()
        }
        return super().save() | own

    def restore(self, state: State) -> None:
        super().restore(state)

        def kept(name: str) -> Array:
            return state[f"{_OWN}/{name}"]["at"].to_numpy()

        self.now, self._newest = kept("clocks").tolist()
        for id_, turn in self._turns.items():
            turn.told = int(kept(f"told {id_}")[0])
            turn.ends.add(kept(f"ends {id_}"))
            turn.wakes.add(kept(f"wakes {id_}"))

    def _alarms(self, turn: _Turn) -> Iterator[Instants]:
        """What may make a step ask for the time."""
        yield turn.wakes
        if self._telling.heralds(turn.step.node):
            yield turn.ends
        if self._telling.asks_for_ends(turn.step.node):
            for below in (self._turns[id_] for id_ in turn.step.inputs if id_ in self._turns):
                below.is_heeded = True
                yield below.ends

    def _next_instant(self) -> int:
        """When something is going to happen: an arrival, or an alarm."""
        coming = [int(delta.ts[0]) for delta in self._arriving.values() if len(delta)]
        rung = [alarm.next for alarms in self._watched.values() for alarm in alarms]
        later = [instant for instant in coming + rung if instant > self.now]
        return min(later, default=NEVER)

    def _admit(self) -> None:
        """Put into the queues what has arrived by now."""
        self._admitted = min(self.now, self._clock)
        for id_, delta in self._arriving.items():
            come = int(np.searchsorted(delta.ts, self.now, side="right"))
            if come:
                self._arriving[id_] = delta.take(np.arange(come, len(delta)))
                self._put(id_, delta.take(np.arange(come)))

    def _have_turn(self, turn: _Turn) -> bool:
        """Whether a step found something to do."""
        self._admit()
        worked = False
        if (until := self._ready(turn)) is not None:
            self._run(turn, until)
            worked = True
        if turn.is_idle and self._wants_time(turn):
            reached = self._reached_by_inputs(turn)
            if reached > turn.told and self._wants_time(turn, reached):
                self._run(turn, reached)
                worked = True
        return worked or not turn.is_idle

    def _wants_time(self, turn: _Turn, until: int = NEVER - 1) -> bool:
        if self._telling.is_restless(turn.step.node):
            return True
        return any(alarm.next <= until for alarm in self._watched[turn.step.id])

    def _ready(self, turn: _Turn) -> int | None:
        """The instant up to which a step can take what waits, in one turn, if there is anything."""
        if turn.is_idle:
            return None
        bound = self._merged_until(turn) if len(turn.queues) > 1 else NEVER
        waiting = np.concatenate([queue.instants for queue in turn.queues])
        waiting = np.sort(waiting[waiting <= bound])
        return int(waiting[: self._pace.appetite][-1]) if len(waiting) else None

    def _merged_until(self, turn: _Turn) -> int:
        """How far all queues of a step are complete."""
        wanted = max(queue.tail for queue in turn.queues)
        return min(
            queue.tail if queue.tail == wanted else max(self._reached(id_), queue.tail)
            for queue, id_ in zip(turn.queues, turn.step.inputs, strict=True)
        )

    def _reached_by_inputs(self, turn: _Turn) -> int:
        return min(self._reached(id_) for id_ in turn.step.inputs)

    def _reached(self, id_: str) -> int:
        """The instant that all that will come from there is not older than; whoever is asked learns the
        time from what is below."""
        if id_ not in self._turns:
            return self._admitted
        turn = self._turns[id_]
        if not turn.is_idle:
            return turn.told
        reached = self._reached_by_inputs(turn)
        if reached > turn.told:
            if turn.is_idle and not turn.step.node.keeps_state and turn.ends.next > reached:
                turn.told = reached  # nothing comes of it
            else:
                self._run(turn, reached)
        return turn.told

    def _run(self, turn: _Turn, until: int) -> None:
        """A step takes what waits up to an instant, and learns that this has come."""
        taken = np.sort(np.concatenate([queue.instants for queue in turn.queues]))
        taken = taken[taken <= until]
        inputs, messages = zip(*(queue.take(until) for queue in turn.queues), strict=True)
        if turn.slide is not None:
            turn.wakes.add(np.concatenate([slot(delta.ts, turn.slide) for delta in inputs]))
        given, begin = self._stepped(turn.step, inputs, until), self.now
        turn.told = until
        for alarm in self._watched[turn.step.id]:
            if alarm is not turn.ends:
                alarm.take(until)
        due = self._due(turn, given)
        tuples = len(taken) - sum(messages) + len(given)
        self.now += self._pace.cost(tuples, sum(messages) + len(due))
        self._send(turn.step, given, due)
        if turn.step.id in self._outputs.values():
            shown = self._pace.shown(begin, self.now, taken, given)
            self._late.append(delays(shown, given.ts))

    def _stepped(self, step: Step, inputs: Sequence[Delta], until: int) -> Delta:
        """What a step gives; one that keeps no state has nothing to say of time alone."""
        if step.node.keeps_state or any(map(len, inputs)):
            return step.on_deltas(inputs)
        return Delta.empty(until, step.node.schema.arrow)

    def _due(self, turn: _Turn, given: Delta) -> list[int]:
        """The instants that have come at which something ends that the step has sent."""
        if given.exp is not None and turn.is_heeded:
            turn.ends.add(given.exp)
        return turn.ends.take(turn.told) if self._telling.sends_messages else []

    def _send(self, step: Step, given: Delta, due: Sequence[int]) -> None:
        """Tuples, and before those of the same instant a message."""
        done = 0
        for instant in due:
            upto = int(np.searchsorted(given.ts, instant))
            if upto > done:
                self._put(step.id, given.take(np.arange(done, upto)))
            done = upto
            step.tally.messages += 1
            self._put(step.id, instant)
        if done < len(given):
            self._put(step.id, given.take(np.arange(done, len(given))) if done else given)

    def _put(self, source: str, item: Delta | int) -> None:
        """Into the queues that a source or a step fills; and out, if it gives the answer."""
        for turn in self._turns.values():
            for queue, id_ in zip(turn.queues, turn.step.inputs, strict=True):
                if id_ == source and queue.put(item) and source in self._turns:
                    self._turns[source].step.tally.messages -= 1
        for output, id_ in self._outputs.items():
            if id_ == source and isinstance(item, Delta):
                self._given[output].append(item)

    def _beat(self) -> None:
        """A heartbeat, from below to the top."""
        if self._clock < NEVER:
            self.now = max(self.now, self._clock)
        for turn in self._turns.values():
            self._run(turn, self._clock)
            turn.ends.take(self._clock)

    def _answer(self, output: str) -> Delta:
        step = self._turns[self._outputs[output]]
        given = self._given[output]
        empty = Delta.empty(step.told, step.step.node.schema.arrow)
        return concat(given).at(step.told) if given else empty
