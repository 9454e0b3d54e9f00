"""In which order a query's answer is shown."""

from __future__ import annotations

from sqlglot import exp

from windrow.plan.emitting import Changes, InOrder
from windrow.plan.grouping import TopK
from windrow.plan.nodes import Node


def answer_order(plan: Node) -> tuple[exp.Ordered, ...]:
    """What the rows are sorted by, over the columns of the answer; nothing where no order is known."""
    if isinstance(plan, Changes):
        return answer_order(plan.input)
    if isinstance(plan, InOrder | TopK):
        return plan.order
    return ()
