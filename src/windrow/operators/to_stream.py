"""Which operator makes a stream of an answer."""

from __future__ import annotations

from windrow.operators.base import Operator
from windrow.operators.each_answer import EachAnswer
from windrow.operators.entering import Entering
from windrow.plan.emitting import ToStream


def to_stream(node: ToStream) -> Operator:
    """A new operator for a step from an answer to a stream."""
    return EachAnswer(node) if node.kind == "Rstream" else Entering(node)
