"""Which operator runs which node. A new operator is a file beside this one and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from windrow.operators.base import Operator
from windrow.operators.calculate import CalculateOperator
from windrow.operators.distinct_instant import DistinctInstantOperator
from windrow.operators.merge_union import MergeUnion
from windrow.plan.nodes import Calculate, DistinctInstant, Node, Union

OPERATORS: Mapping[type[Node], Callable[[Any], Operator]] = {
    Calculate: CalculateOperator,
    DistinctInstant: DistinctInstantOperator,
    Union: MergeUnion,
}

WITHOUT_OPERATOR: Mapping[str, str] = {
    "Scan": "a stage's input",
    "Received": "a stage's input",
    "Exchange": "a stage's output, and the next one's input",
    "Select": "runs as part of a Calculate",
    "Project": "runs as part of a Calculate",
}
"""Nodes that nothing runs, and why."""


def operator_for(node: Node) -> Operator:
    """A new operator that runs a node."""
    return OPERATORS[type(node)](node)
