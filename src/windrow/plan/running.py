"""A stage at work: its operators, in the order in which deltas flow through them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from windrow.buffers.parts import State
from windrow.delta import Delta
from windrow.operators.base import FAILURES, Operator
from windrow.operators.elsewhere import Elsewhere
from windrow.operators.registry import operator_for
from windrow.plan.nodes import SINGLE, Leaf, Node


@dataclass(frozen=True)
class _Step:
    """An operator, where its inputs are found, and where its output goes."""

    id: str
    operator: Operator
    inputs: tuple[str, ...]


class RunningStage:
    """The operators of a stage, and with them its state. Only one thread may use it at a time.

    The ids of its steps, which the saved states go by, depend only on the stage. Of its places one is
    `home`: there run the steps that need all tuples together.
    """

    def __init__(self, inputs: Mapping[Leaf, str], outputs: Mapping[str, Node], *, home: bool) -> None:
        self._steps: list[_Step] = []
        self._inputs = inputs
        self._home = home
        self._outputs = {id_: self._add(root) for id_, root in outputs.items()}

    def on_deltas(self, inputs: Mapping[str, Delta]) -> dict[str, Delta]:
        """What new tuples mean for each output. All inputs are complete up to the same clock."""
        deltas = dict(inputs)
        for step in self._steps:
            deltas[step.id] = step.operator.on_deltas([deltas[id_] for id_ in step.inputs])
        return {id_: deltas[source] for id_, source in self._outputs.items()}

    def take_failures(self) -> pa.Table:
        """Rows that could not be evaluated since the last call: FAILURES (stream, input, reason)."""
        failed = [step.operator.take_failures() for step in self._steps]
        return pa.concat_tables([FAILURES.empty_table(), *(each for each in failed if each is not None)])

    def save(self) -> dict[str, pa.Table]:
        """The parts of all operators' states, each under its operator's id and its own name."""
        return {
            f"{step.id}/{name}": part for step in self._steps for name, part in step.operator.save().items()
        }

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
        step = _Step(f"{len(self._steps)}.{node.label}", operator, inputs)
        self._steps.append(step)
        return step.id
