"""Joins change places: (A ⋈ B) ⋈ C becomes (A ⋈ C) ⋈ B where A alone has what C is joined by. One after
another such swaps reach every order that has no join of each with each.

Left joins do so likewise, as long as A is what they give whole: so strict results come late.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from sqlglot import exp

from windrow.plan.joins import Join
from windrow.plan.nodes import Node, Project
from windrow.plan.rules.carrying import apart, carrying, only, under
from windrow.plan.rules.conjunctions import anded, conjuncts
from windrow.plan.rules.substitution import Definitions, columns, is_volatile, substitute


def swap_joins(node: Node) -> Iterator[Node]:
    """The upper join first, on each side of the lower one that has all its keys."""
    if not _swaps(node):
        return
    below, meaning = under(node.left)
    if not _swaps(below) or any(map(is_volatile, meaning.values())) or not apart(below, node.right):
        return
    sides = (below.left, below.right) if below.kind == "inner" else (below.left,)
    for side in sides:
        if swapped := _swapped(node, below, side, meaning):
            yield swapped


def _swaps(node: Node) -> TypeGuard[Join]:
    return isinstance(node, Join) and node.kind in ("inner", "left") and bool(node.keys)


def _swapped(node: Join, below: Join, side: Node, meaning: Definitions) -> Node | None:
    wanted = [meaning[left.lower()] for left, _ in node.keys]
    first, second = _conditions(node, side, meaning)
    if not columns(*wanted) <= _names(side) or (second and "left" in (node.kind, below.kind)):
        return None
    wide, names = carrying(side, wanted, (*below.schema.names, *node.right.schema.names))
    keys = tuple((name, right) for name, (_, right) in zip(names, node.keys, strict=True))
    lower = Join(wide, node.right, keys, _anded(first), node.kind)
    beyond = [] if below.condition is None else [below.condition]
    turned = side is below.right
    oriented = tuple((right, left) for left, right in below.keys) if turned else below.keys
    other = below.left if turned else below.right
    upper = Join(lower, other, oriented, _anded([*beyond, *second]), below.kind)
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
