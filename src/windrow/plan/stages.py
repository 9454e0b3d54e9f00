"""A plan cut into stages: what a worker runs between two movements of tuples.

Stage 0 reads streams, each later stage what the one before it sent. A stage is data, and small: a
worker gets it pickled and starts it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from windrow.plan.distribute import distribute, gather
from windrow.plan.exchange import Exchange, Received, level
from windrow.plan.fuse import fuse
from windrow.plan.nodes import Distribution, Leaf, Node, Scan, leaves, origins
from windrow.plan.running import RunningStage
from windrow.schema import Schema

RESULT = "result"
"""The id of the output that is the plan's answer."""


@dataclass(frozen=True)
class StageInput:
    """Tuples that a stage needs: of a stream, or of an exchange of the stage before."""

    id: str
    leaf: Leaf

    @property
    def schema(self) -> Schema:
        return self.leaf.schema

    @property
    def scan(self) -> Scan | None:
        """Which columns of which stream; None where the input is an exchange."""
        return self.leaf if isinstance(self.leaf, Scan) else None


@dataclass(frozen=True)
class StageOutput:
    """Tuples that a stage gives: the answer, or what goes on to the next stage."""

    id: str
    root: Node
    to: Distribution | None
    """How an exchange spreads them; None for the answer."""

    @property
    def schema(self) -> Schema:
        return self.root.schema


@dataclass(frozen=True)
class Stage:
    """Part of a plan that runs in one place on one share of the tuples."""

    id: int
    inputs: tuple[StageInput, ...]
    outputs: tuple[StageOutput, ...]

    def start(self, *, home: bool = True) -> RunningStage:
        """Its operators, with empty state. Each share of the tuples needs its own; one of them is the
        home of steps that run in one place."""
        return RunningStage(self.leaves, self.roots, home=home)

    @property
    def leaves(self) -> dict[Leaf, str]:
        """The leaves of its plans, and the ids of the inputs that they stand for."""
        return {each.leaf: each.id for each in self.inputs}

    @property
    def roots(self) -> dict[str, Node]:
        """The plans of its outputs, by id."""
        return {each.id: each.root for each in self.outputs}


@dataclass(frozen=True)
class CompiledPlan:
    """A plan, ready to run."""

    node: Node
    """The plan with its exchanges."""
    stages: tuple[Stage, ...]

    @property
    def schema(self) -> Schema:
        return self.node.schema

    @property
    def scans(self) -> tuple[StageInput, ...]:
        """What has to be read of which streams."""
        return self.stages[0].inputs


def compile_plan(node: Node, *, gathered: bool = False) -> CompiledPlan:
    """Cut a plan, after `optimize`, into stages in the order in which they run; or into what reads
    streams, and one stage in one place for all the rest."""
    distributed = gather(node) if gathered else distribute(node)
    outputs = list(_outputs(distributed))
    count = level(distributed) + 1
    return CompiledPlan(
        distributed,
        tuple(_stage(number, [out for at, out in outputs if at == number]) for number in range(count)),
    )


def _stage(number: int, outputs: list[StageOutput]) -> Stage:
    distinct = dict.fromkeys(leaf for output in outputs for leaf in leaves(output.root))
    inputs = (
        StageInput(leaf.id if isinstance(leaf, Received) else f"scan{place}", leaf)
        for place, leaf in enumerate(distinct)
    )
    return Stage(number, tuple(inputs), tuple(outputs))


def _outputs(node: Node) -> Iterator[tuple[int, StageOutput]]:
    """Every output of every stage, with the stage's number; the answer is the last."""
    sent: dict[Exchange, tuple[int, StageOutput]] = {}
    """What two parts of a plan need in the same place is sent there once."""

    def cut(each: Node) -> Node:
        if not isinstance(each, Exchange):
            return each.over(*map(cut, each.inputs))
        if each not in sent:
            root = fuse(cut(each.input))
            sent[each] = level(each.input), StageOutput(f"exchange{len(sent)}", root, each.to)
        output = sent[each][1]
        return Received(output.id, each.schema, each.pattern, each.lifetime, origins(each))

    answer = fuse(cut(node))
    return iter([*sent.values(), (level(node), StageOutput(RESULT, answer, None))])
