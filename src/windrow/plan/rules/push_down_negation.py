"""NOT EXISTS moves below a join, where it drops tuples before they are paired. EXISTS does so likewise.

It only looks at a tuple's columns, so it may go to the side of a join that these come from. The price is
that all above it has to take negative tuples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from windrow.plan.joins import Join, Negation, RelationJoin, SemiJoin
from windrow.plan.nodes import Node
from windrow.plan.rules.carrying import HalfJoin, above, apart, asked, carrying, only, under
from windrow.plan.rules.substitution import Definitions, columns, may_move, substitute


def push_down_negation(node: Node) -> Iterator[Node]:
    """The half join on each side of the join below it from which all comes that it looks at."""
    if not isinstance(node, HalfJoin):
        return
    below, meaning = under(node.left)
    if not isinstance(below, Join | RelationJoin | Negation | SemiJoin):
        return
    looked_at = [exp.column(name, quoted=True) for name in sorted(asked(node))]
    if not all(may_move(each, meaning) for each in looked_at):
        return
    needed = columns(*(meaning[name] for name in asked(node)))
    for place in _sides(below):
        if needed <= _names(below.inputs[place]) and (lower := _at(node, below, place, meaning)):
            yield above(node.left, lower)


def _sides(below: Join | RelationJoin | HalfJoin) -> tuple[int, ...]:
    """Those of which every result has a tuple. A tuple that met the rows of an NRR cannot be taken back."""
    if isinstance(below, RelationJoin):
        return (0,) if below.retroactive else ()
    if isinstance(below, Join):
        return {"inner": (0, 1), "left": (0,), "right": (1,), "full": ()}[below.kind]
    return (0,)


def _names(node: Node) -> frozenset[str]:
    return frozenset(name.lower() for name in node.schema.names)


def _at(node: HalfJoin, below: Node, place: int, meaning: Definitions) -> Node | None:
    side = below.inputs[place]
    taken = (*below.schema.names, *node.right.schema.names)
    wide, names = carrying(side, [meaning[left.lower()] for left, _ in node.keys], taken)
    if not apart(wide, node.right):
        return None
    right = {name.lower(): exp.column(name, quoted=True) for name in node.right.schema.names}
    condition = node.condition and substitute(node.condition, {**right, **meaning})
    keys = tuple((name, other) for name, (_, other) in zip(names, node.keys, strict=True))
    half = replace(node, left=wide, keys=keys, condition=condition)
    inputs = (*below.inputs[:place], only(half, side.schema), *below.inputs[place + 1 :])
    return below.over(*inputs)
