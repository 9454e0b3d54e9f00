"""Which operator runs which node. A new operator is a file beside this one and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from windrow.operators.accumulate import AccumulateOperator
from windrow.operators.append import AppendOperator
from windrow.operators.base import Operator
from windrow.operators.calculate import CalculateOperator
from windrow.operators.changes import ChangesOperator, ExpireOperator
from windrow.operators.distinct_instant import DistinctInstantOperator
from windrow.operators.group_by import GroupByOperator
from windrow.operators.group_by_panes import GroupByPanesOperator
from windrow.operators.joining import (
    join_operator,
    negation_operator,
    relation_half_join_operator,
    relation_join_operator,
    semi_join_operator,
)
from windrow.operators.merge_union import MergeUnion
from windrow.operators.multisets import distinct_operator, except_operator, intersect_operator
from windrow.operators.own_over import over_operator
from windrow.operators.reevaluate import ReevaluateOperator
from windrow.operators.to_stream import to_stream
from windrow.operators.top_k import TopKOperator
from windrow.operators.window import window_operator
from windrow.plan.emitting import Changes, Reevaluate, ToStream
from windrow.plan.expiration import Expire
from windrow.plan.grouping import Accumulate, Distinct, GroupBy, GroupByPanes, Over, TopK
from windrow.plan.joins import Join, Negation, RelationHalfJoin, RelationJoin, SemiJoin
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Calculate, DistinctInstant, Node, Union
from windrow.plan.windows import Append, OutputWindow, Window

OPERATORS: Mapping[type[Node], Callable[[Any], Operator]] = {
    Accumulate: AccumulateOperator,
    Append: AppendOperator,
    Calculate: CalculateOperator,
    Changes: ChangesOperator,
    Distinct: distinct_operator,
    DistinctInstant: DistinctInstantOperator,
    Except: except_operator,
    Expire: ExpireOperator,
    GroupBy: GroupByOperator,
    GroupByPanes: GroupByPanesOperator,
    Intersect: intersect_operator,
    Join: join_operator,
    Negation: negation_operator,
    OutputWindow: window_operator,
    Over: over_operator,
    Reevaluate: ReevaluateOperator,
    RelationHalfJoin: relation_half_join_operator,
    RelationJoin: relation_join_operator,
    SemiJoin: semi_join_operator,
    ToStream: to_stream,
    TopK: TopKOperator,
    Union: MergeUnion,
    Window: window_operator,
}

WITHOUT_OPERATOR: Mapping[str, str] = {
    "Scan": "a stage's input",
    "Received": "a stage's input",
    "RelationScan": "a stage's input",
    "Exchange": "a stage's output, and the next one's input",
    "Select": "runs as part of a Calculate",
    "Project": "runs as part of a Calculate",
    "InOrder": "says how an answer is shown",
}
"""Nodes that nothing runs, and why."""


def operator_for(node: Node) -> Operator:
    """A new operator that runs a node."""
    return OPERATORS[type(node)](node)
