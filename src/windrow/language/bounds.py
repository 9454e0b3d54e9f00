"""Which results grow without end, so that what has to remember them would remember ever more."""

from __future__ import annotations

import functools

from windrow.plan.emitting import Reevaluate, ToStream
from windrow.plan.grouping import GroupBy, TopK
from windrow.plan.joins import Join, Negation, RelationHalfJoin, RelationJoin, RelationScan, SemiJoin
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node
from windrow.plan.windows import Append, OutputWindow, Window


@functools.singledispatch
def grows(node: Node) -> bool:
    """Whether more and more results of a node count at the same time, as long as tuples come."""
    return any(map(grows, node.inputs)) if node.inputs else True


@grows.register(Window)
@grows.register(OutputWindow)
def _(node: Window | OutputWindow) -> bool:
    return node.spec.is_unbounded


@grows.register
def _(_node: ToStream) -> bool:
    return True


@grows.register
def _(node: Append) -> bool:
    return not node.lifetimes


@grows.register(RelationScan)
def _(_node: RelationScan) -> bool:
    """As large as its owner lets it be."""
    return False


@grows.register
def _(node: GroupBy) -> bool:
    return bool(node.keys) and grows(node.input)


@grows.register
def _(node: TopK) -> bool:
    return node.limit is None and grows(node.input)


@grows.register(SemiJoin)
@grows.register(Negation)
@grows.register(Except)
@grows.register(RelationHalfJoin)
@grows.register(RelationJoin)
def _(node: SemiJoin | Negation | Except | RelationJoin) -> bool:
    return grows(node.left)


@grows.register
def _(node: Join) -> bool:
    """A pair lasts as long as both of its tuples; a tuple of an outer side, as long as itself."""
    outer = {"inner": (), "left": (node.left,), "right": (node.right,), "full": node.inputs}[node.kind]
    return all(map(grows, node.inputs)) or any(map(grows, outer))


@grows.register(Intersect)
def _(node: Intersect) -> bool:
    return all(map(grows, node.inputs))


@grows.register(Reevaluate)
def _(node: Reevaluate) -> bool:
    return any(map(grows, node.inputs))


def endless_by_request(node: Node) -> bool:
    """Whether all that grows in a node is windows that are written as [UNBOUNDED]."""
    if isinstance(node, Window) and node.spec.is_unbounded:
        return True
    return not grows(node) or (bool(node.inputs) and all(map(endless_by_request, node.inputs)))
