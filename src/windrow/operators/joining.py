"""Which operator runs which kind of join: one that gives negative tuples only where it must, and one
that looks at pairs only where keys do not say it all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from sqlglot import exp

from windrow.operators.base import Operator
from windrow.operators.conditional_half_join import ConditionalHalfJoinOperator
from windrow.operators.covered import CoveredOperator
from windrow.operators.half_join import HalfJoinOperator
from windrow.operators.join import JoinOperator
from windrow.operators.lookup_half_join import LookupHalfJoinOperator
from windrow.operators.lookup_join import LookupJoinOperator
from windrow.operators.signed_join import SignedJoinOperator
from windrow.plan.joins import Join, Negation, RelationHalfJoin, RelationJoin, SemiJoin
from windrow.plan.patterns import Pattern

_Anti = TypeVar("_Anti", Negation, RelationHalfJoin)


def join_operator(node: Join) -> Operator:
    is_foreseen = node.kind == "inner" and all(each.pattern is not Pattern.STR for each in node.inputs)
    return JoinOperator(node) if is_foreseen else SignedJoinOperator(node)


def relation_join_operator(node: RelationJoin) -> Operator:
    return SignedJoinOperator(node) if node.retroactive else LookupJoinOperator(node)


def negation_operator(node: Negation) -> Operator:
    return semi_join_operator(_heeding_nulls(node))


def relation_half_join_operator(node: RelationHalfJoin) -> Operator:
    return LookupHalfJoinOperator(_heeding_nulls(node))


def semi_join_operator(node: SemiJoin | Negation) -> Operator:
    if node.condition is not None:
        return ConditionalHalfJoinOperator(node)
    in_order = node.left.pattern in (Pattern.MON, Pattern.WKS) and node.right.pattern is not Pattern.STR
    heeds_nulls = isinstance(node, Negation) and node.null_aware
    return CoveredOperator(node) if in_order and not heeds_nulls else HalfJoinOperator(node)


def _heeding_nulls(node: _Anti) -> _Anti:
    """NOT IN among right tuples that each left one chooses for itself (by other keys or a condition) is
    NOT EXISTS of one among them that is equal, or may be for all that is known."""
    if not node.null_aware or (len(node.keys) == 1 and node.condition is None):
        return node
    return replace(node, keys=node.keys[1:], condition=_maybe_equal(node), null_aware=False)


def _maybe_equal(node: Negation | RelationHalfJoin) -> exp.Expr:
    left, right = (exp.column(name, quoted=True) for name in node.keys[0])
    equal = exp.Coalesce(this=exp.EQ(this=left, expression=right), expressions=[exp.true()])
    return equal if node.condition is None else exp.and_(node.condition, equal)
