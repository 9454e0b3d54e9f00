"""NOT EXISTS moves above a join, so that the join need not take the negative tuples that it gives: the
simplification of update patterns. EXISTS does so likewise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from windrow.plan.joins import Join, RelationJoin
from windrow.plan.nodes import Node, Project
from windrow.plan.rules.carrying import HalfJoin, apart, asked, only, under
from windrow.plan.rules.substitution import Definitions, substitute
from windrow.schema import Field, Schema


def pull_up_negation(node: Node) -> Iterator[Node]:
    """The half join of each side above the join, if the join gives all tuples of that side."""
    if not isinstance(node, Join | RelationJoin):
        return
    for place, (side, passed) in enumerate(zip(node.inputs, node.passes, strict=True)):
        half, _ = under(side)
        if isinstance(half, HalfJoin) and side.schema.names and len(passed) == len(side.schema):
            yield from _raised(node, place, side, half)


def _raised(node: Node, place: int, side: Node, half: HalfJoin) -> Iterator[Node]:
    lower, names = _without(side, half, (*node.schema.names, *half.right.schema.names))
    inputs = (*node.inputs[:place], lower, *node.inputs[place + 1 :])
    if not apart(*inputs, half.right):
        return
    right = {name.lower(): exp.column(name, quoted=True) for name in half.right.schema.names}
    condition = half.condition and substitute(half.condition, {**right, **names})
    keys = tuple((names[left.lower()].name, other) for left, other in half.keys)
    yield only(replace(half, left=node.over(*inputs), keys=keys, condition=condition), node.schema)


def _without(side: Node, half: HalfJoin, taken: tuple[str, ...]) -> tuple[Node, Definitions]:
    """A side without its half join, but with all that this looks at, and under what names."""
    if not isinstance(side, Project):
        return half.left, {name.lower(): exp.column(name, quoted=True) for name in half.left.schema.names}
    names = {source.lower(): name for name, source in side.passes[0].items()}
    missing = sorted(asked(half) - names.keys())
    fresh = [name for number in range(len(taken) + len(missing)) if (name := f"left{number}") not in taken]
    added = dict(zip(missing, fresh, strict=False))
    types = {field.name.lower(): field.type for field in half.left.schema}
    output = Schema((*side.output, *(Field(new, types[old]) for old, new in added.items())))
    expressions = (*side.expressions, *(exp.column(old, quoted=True) for old in added))
    known = {field.name.lower(): field.name for field in output}
    return Project(half.left, expressions, output), {
        old: exp.column(known[new.lower()], quoted=True) for old, new in {**names, **added}.items()
    }
