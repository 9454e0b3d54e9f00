"""Which operator runs which kind of join: one that gives negative tuples only where it must, and one
that looks at pairs only where keys do not say it all.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from windrow.operators.base import Operator
from windrow.operators.conditional_half_join import ConditionalHalfJoinOperator
from windrow.operators.half_join import HalfJoinOperator
from windrow.operators.join import JoinOperator
from windrow.operators.lookup_join import LookupJoinOperator
from windrow.operators.signed_join import SignedJoinOperator
from windrow.plan.joins import Join, Negation, RelationJoin, SemiJoin
from windrow.plan.patterns import Pattern


def join_operator(node: Join) -> Operator:
    return SignedJoinOperator(node) if node.pattern is Pattern.STR else JoinOperator(node)


def relation_join_operator(node: RelationJoin) -> Operator:
    return SignedJoinOperator(node) if node.retroactive else LookupJoinOperator(node)


def negation_operator(node: Negation) -> Operator:
    """NOT IN among right tuples that each left one chooses for itself (by other keys or a condition) is
    NOT EXISTS of one among them that is equal, or may be for all that is known."""
    if node.null_aware and (len(node.keys) > 1 or node.condition is not None):
        node = replace(node, keys=node.keys[1:], condition=_maybe_equal(node), null_aware=False)
    return HalfJoinOperator(node) if node.condition is None else ConditionalHalfJoinOperator(node)


def semi_join_operator(node: SemiJoin) -> Operator:
    return HalfJoinOperator(node) if node.condition is None else ConditionalHalfJoinOperator(node)


def _maybe_equal(node: Negation) -> exp.Expr:
    left, right = (exp.column(name, quoted=True) for name in node.keys[0])
    equal = exp.Coalesce(this=exp.EQ(this=left, expression=right), expressions=[exp.true()])
    return equal if node.condition is None else exp.and_(node.condition, equal)
