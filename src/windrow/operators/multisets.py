"""Which operator runs DISTINCT, INTERSECT and EXCEPT: δ* where the youngest of equal tuples is known to
outlive them, and one that counts where it is not, or where equal tuples count. The direct approach stores
its whole input.
"""

from __future__ import annotations

from windrow.operators.base import Operator
from windrow.operators.counted import CountedOperator
from windrow.operators.delta_star import DistinctTellingEnds, TakingOver, TellingEnds
from windrow.operators.intersect_all import IntersectAllOperator
from windrow.operators.stored_distinct import StoredDistinct
from windrow.plan.grouping import Distinct
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern


def distinct_operator(node: Distinct) -> Operator:
    if _has_strict_input(node):
        return CountedOperator(node)
    if node.scanned and node.pattern is not Pattern.MON:
        return CountedOperator(node) if node.tells_ends else StoredDistinct(node)
    return DistinctTellingEnds(node) if node.pattern is Pattern.STR else TakingOver(node)


def intersect_operator(node: Intersect) -> Operator:
    if _has_strict_input(node):
        return CountedOperator(node)
    if node.distinct:
        return TellingEnds(node) if node.pattern is Pattern.STR else TakingOver(node)
    return IntersectAllOperator(node) if node.pattern is Pattern.WK else CountedOperator(node)


def except_operator(node: Except) -> Operator:
    return TellingEnds(node) if node.distinct and not _has_strict_input(node) else CountedOperator(node)


def _has_strict_input(node: Node) -> bool:
    return any(each.pattern is Pattern.STR for each in node.inputs)
