"""The rewrite rules, in the order in which they are applied."""

from __future__ import annotations

from collections.abc import Callable

from windrow.plan.nodes import Node
from windrow.plan.rules.drop_distinct import drop_distinct
from windrow.plan.rules.merge_projections import merge_projections
from windrow.plan.rules.narrow_outer_joins import narrow_outer_joins
from windrow.plan.rules.prune_columns import prune_columns
from windrow.plan.rules.push_down_projection import push_down_projection
from windrow.plan.rules.push_down_selection import push_down_selection
from windrow.plan.rules.restore_results import restore_results
from windrow.plan.rules.tell_changes import tell_changes
from windrow.plan.rules.tell_ends import tell_ends

RULES: tuple[Callable[[Node], Node], ...] = (
    restore_results,
    push_down_selection,
    narrow_outer_joins,
    push_down_selection,
    push_down_projection,
    drop_distinct,
    prune_columns,
    merge_projections,
    tell_ends,
    tell_changes,
)


def optimize(node: Node) -> Node:
    """An equivalent plan that does less work, and tells its answer's changes."""
    for rule in RULES:
        node = rule(node)
    return node
