"""The rewrite rules that always help, in the order in which they are applied."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from windrow.plan.nodes import Node
from windrow.plan.rules.drop_distinct import drop_distinct
from windrow.plan.rules.forget_order import forget_order
from windrow.plan.rules.merge_projections import merge_projections
from windrow.plan.rules.narrow_outer_joins import narrow_outer_joins
from windrow.plan.rules.prune_columns import prune_columns
from windrow.plan.rules.push_down_projection import push_down_projection
from windrow.plan.rules.push_down_selection import push_down_selection
from windrow.plan.rules.restore_results import restore_results
from windrow.plan.rules.tell_changes import tell_changes
from windrow.plan.rules.tell_ends import tell_ends

Rule: TypeAlias = Callable[[Node], Node]

_FIRST: tuple[Rule, ...] = (
    forget_order,
    restore_results,
    push_down_selection,
    narrow_outer_joins,
)
_TIDY: tuple[Rule, ...] = (
    push_down_selection,
    push_down_projection,
    drop_distinct,
    prune_columns,
    merge_projections,
)
"""Again after each alternative that is tried."""
_LAST: tuple[Rule, ...] = (
    tell_ends,
    tell_changes,
)
RULES = (*_FIRST, *_TIDY, *_LAST)


def simplify(node: Node) -> Node:
    """An equivalent plan that does less work, whatever the streams are like."""
    return tidy(_applied(_FIRST, node))


def tidy(node: Node) -> Node:
    """The same, of a plan that was simplified before and changed since."""
    return _applied(_TIDY, node)


def finish(node: Node) -> Node:
    """A simplified plan that tells its answer's changes."""
    return _applied(_LAST, node)


def optimize(node: Node) -> Node:
    """All rules, one after another."""
    return _applied(RULES, node)


def _applied(rules: tuple[Rule, ...], node: Node) -> Node:
    for rule in rules:
        node = rule(node)
    return node
