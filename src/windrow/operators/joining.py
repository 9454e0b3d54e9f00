"""Which join runs a Join node: that which gives negative tuples only where it must."""

from __future__ import annotations

from windrow.operators.base import Operator
from windrow.operators.join import JoinOperator
from windrow.operators.signed_join import SignedJoinOperator
from windrow.plan.joins import Join
from windrow.plan.patterns import Pattern


def join_operator(node: Join) -> Operator:
    return SignedJoinOperator(node) if node.pattern is Pattern.STR else JoinOperator(node)
