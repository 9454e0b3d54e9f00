"""A stage at work: its operators, in the order in which deltas flow through them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from windrow.buffers.parts import State
from windrow.delta import BEGINNING, Delta, concat
from windrow.operators.base import FAILURES, Operator
from windrow.operators.elsewhere import Elsewhere
from windrow.operators.registry import operator_for
from windrow.plan.effort import Delays, Tallies, Tally
from windrow.plan.nodes import SINGLE, Leaf, Node

STRETCH = 1 << 19
"""About so many tuples at once go through the steps: what they make fits in caches, and in memory that was
used before."""


@dataclass(eq=False)
class Step:
    """An operator, where its inputs are found, and what it has done."""

    id: str
    node: Node
    operator: Operator
    inputs: tuple[str, ...]
    tally: Tally = field(default_factory=Tally)
    """Since it was last asked."""
    probes: int | None = None
    """Of the operator, when it was last asked."""

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        began = time.perf_counter()
        given = self.operator.on_deltas(inputs)
        self.tally.seconds += time.perf_counter() - began
        self.tally.give(given)
        return given

    def save(self) -> State:
        state = self.operator.save()
        self.tally.keep(state)
        return state

    def take_tally(self) -> Tally:
        probes = self.operator.probes
        self.tally.probe(None if probes is None else probes - (self.probes or 0))
        told, self.tally, self.probes = self.tally, Tally(), probes
        return told


class RunningStage:
    """The operators of a stage, and with them its state. Only one thread may use it at a time.

    The ids of its steps, which the saved states go by, depend only on the stage. Of its places one is
    `home`: there run the steps that need all tuples together.
    """

    def __init__(self, inputs: Mapping[Leaf, str], outputs: Mapping[str, Node], *, home: bool) -> None:
        self._steps: list[Step] = []
        self._inputs = inputs
        self._home = home
        self._outputs = {id_: self._add(root) for id_, root in outputs.items()}

    def on_deltas(self, inputs: Mapping[str, Delta]) -> dict[str, Delta]:
        """What new tuples mean for each output. All inputs are complete up to the same clock."""
        given = [self._on_stretch(stretch) for stretch in stretches(inputs, STRETCH)]
        return {id_: concat([each[id_] for each in given]) for id_ in self._outputs}

    def _on_stretch(self, inputs: Mapping[str, Delta]) -> dict[str, Delta]:
        deltas = dict(inputs)
        for step in self._steps:
            deltas[step.id] = step.on_deltas([deltas[id_] for id_ in step.inputs])
        return {id_: deltas[source] for id_, source in self._outputs.items()}

    def delays(self, given: Delta) -> Delays:
        """How late the changes of the last call, which are the answer's, showed."""
        return Delays.until(given)

    def take_tallies(self) -> Tallies:
        """What the steps have done since the last call, and kept when they were last saved."""
        return {step.id: step.take_tally() for step in self._steps}

    def take_failures(self) -> pa.Table:
        """Rows that could not be evaluated since the last call: FAILURES (stream, input, reason)."""
        failed = [step.operator.take_failures() for step in self._steps]
        return pa.concat_tables([FAILURES.empty_table(), *(each for each in failed if each is not None)])

    def save(self) -> dict[str, pa.Table]:
        """The parts of all operators' states, each under its operator's id and its own name."""
        return {f"{step.id}/{name}": part for step in self._steps for name, part in step.save().items()}

    def restore(self, state: State) -> None:
        """Continue from what was saved. Called at most once, before any delta."""
        parts: dict[str, dict[str, pa.Table]] = {}
        for key, part in state.items():
            id_, _, name = key.partition("/")
            parts.setdefault(id_, {})[name] = part
        for step in self._steps:
            if step.id in parts:
                step.operator.restore(parts[step.id])

    def _add(self, node: Node) -> str:
        """Append the steps that compute a node; the id under which its deltas are found."""
        if isinstance(node, Leaf):
            return self._inputs[node]
        inputs = tuple(self._add(each) for each in node.inputs)
        elsewhere = SINGLE in node.distributions and not self._home
        operator = Elsewhere(node) if elsewhere else operator_for(node)
        step = Step(f"{len(self._steps)}.{node.label}", node, operator, inputs)
        self._steps.append(step)
        return step.id


def stretches(inputs: Mapping[str, Delta], rows: int) -> Iterator[Mapping[str, Delta]]:
    """The same inputs in stretches of time, with about so many tuples of the longest input each."""
    longest = max(inputs.values(), key=len, default=None)
    if longest is None or len(longest) <= rows:
        yield inputs
        return
    ends = np.unique(longest.ts[rows - 1 : -1 : rows])
    ends = ends[(ends > BEGINNING) & (ends < longest.clock)]
    places = {
        id_: [0, *np.searchsorted(delta.ts, ends, side="right").tolist(), len(delta)]
        for id_, delta in inputs.items()
    }
    for number, clock in enumerate([*ends.tolist(), longest.clock]):
        yield {
            id_: delta.between(*places[id_][number : number + 2]).at(clock) for id_, delta in inputs.items()
        }
