"""What tells that a row of an answer has changed, rather than that one went and another came."""

from __future__ import annotations

from collections.abc import Iterable

from windrow.plan.emitting import Changes, InOrder
from windrow.plan.grouping import Distinct, GroupBy, TopK
from windrow.plan.joins import Join, Negation, RelationHalfJoin, RelationJoin, RelationScan, SemiJoin
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node, Passed, Project, Select, same_names
from windrow.schema import Schema

Key = tuple[str, ...]

_CHOOSES = (
    Select,
    Project,
    Distinct,
    TopK,
    SemiJoin,
    Negation,
    RelationHalfJoin,
    Intersect,
    Except,
    Changes,
    InOrder,
)
"""Steps that give some of the rows of their first input, each at most as often as it is there."""


def update_key(node: Node) -> Key | None:
    """The columns whose values no two rows of the answer share at any instant; () of an answer of one
    row, None where nothing tells rows apart."""
    if isinstance(node, GroupBy):
        return node.keys
    if isinstance(node, RelationScan):
        return _kept(node.relation.key or None, node.schema, same_names(node.schema, node.schema))
    if isinstance(node, Join | RelationJoin):
        return _of_join(node)
    if isinstance(node, _CHOOSES):
        return _kept(update_key(node.inputs[0]), node.schema, node.passes[0])
    return None


def _kept(key: Key | None, schema: Schema, passed: Passed) -> Key | None:
    """The key by its columns' names in the output; None unless all of it is there."""
    names = {source.lower(): field.name for field in schema if (source := passed.get(field.name.lower()))}
    if key is None or not _within(key, names):
        return None
    return tuple(names[name.lower()] for name in key)


def _of_join(node: Join | RelationJoin) -> Key | None:
    """That of a side whose rows have one partner at most; otherwise those of both."""
    left, right = update_key(node.left), update_key(node.right)
    if left is None or right is None:
        return None
    if node.kind in ("inner", "left") and _within(right, [of_right for _, of_right in node.keys]):
        return left
    if node.kind in ("inner", "right") and _within(left, [of_left for of_left, _ in node.keys]):
        return right
    return (*left, *right)


def _within(key: Key, names: Iterable[str]) -> bool:
    return {name.lower() for name in key} <= {name.lower() for name in names}
