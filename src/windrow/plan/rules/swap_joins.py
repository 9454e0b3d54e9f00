"""Joins change places: (A ⋈ B) ⋈ C becomes (A ⋈ C) ⋈ B where A alone has what C is joined by. One after
another such swaps reach every order that has no join of each with each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from windrow.plan.joins import Join
from windrow.plan.nodes import Node, Project
from windrow.plan.rules.carrying import apart, carrying, only, under
from windrow.plan.rules.conjunctions import anded, conjuncts
from windrow.plan.rules.substitution import Definitions, columns, is_volatile, substitute


def swap_joins(node: Node) -> Iterator[Node]:
    """The upper join first, on each side of the lower one that has all its keys."""
    if not isinstance(node, Join) or node.kind != "inner" or not node.keys:
        return
    below, meaning = under(node.left)
    if not isinstance(below, Join) or below.kind != "inner" or not below.keys:
        return
    if any(map(is_volatile, meaning.values())) or not apart(below, node.right):
        return
    for side, other in ((below.left, below.right), (below.right, below.left)):
        if swapped := _swapped(node, below, side, other, meaning):
            yield swapped


def _swapped(node: Join, below: Join, side: Node, other: Node, meaning: Definitions) -> Node | None:
    wanted = [meaning[left.lower()] for left, _ in node.keys]
    if not columns(*wanted) <= _names(side):
        return None
    wide, names = carrying(side, wanted, (*below.schema.names, *node.right.schema.names))
    first, second = _conditions(node, side, meaning)
    keys = tuple((name, right) for name, (_, right) in zip(names, node.keys, strict=True))
    lower = Join(wide, node.right, keys, _anded(first))
    beyond = [] if below.condition is None else [below.condition]
    oriented = below.keys if side is below.left else tuple((right, left) for left, right in below.keys)
    upper = Join(lower, other, oriented, _anded([*beyond, *second]))
    return _as_before(node, upper, meaning)


def _conditions(node: Join, side: Node, meaning: Definitions) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """What the upper join asks for that its new place can tell, and the rest."""
    right = {name.lower(): exp.column(name, quoted=True) for name in node.right.schema.names}
    parts = () if node.condition is None else conjuncts(node.condition)
    told = [substitute(each, {**right, **meaning}) for each in parts]
    here = _names(side) | right.keys()
    return [each for each in told if columns(each) <= here], [
        each for each in told if not columns(each) <= here
    ]


def _as_before(node: Join, upper: Join, meaning: Definitions) -> Node:
    """The columns that the joins gave before."""
    if not isinstance(node.left, Project):
        return only(upper, node.schema)
    right = tuple(exp.column(name, quoted=True) for name in node.right.schema.names)
    left = tuple(meaning[name.lower()].copy() for name in node.left.schema.names)
    return Project(upper, (*left, *right), node.schema)


def _anded(parts: Sequence[exp.Expr]) -> exp.Expr | None:
    return anded(*parts) if parts else None


def _names(node: Node) -> frozenset[str]:
    return frozenset(name.lower() for name in node.schema.names)
