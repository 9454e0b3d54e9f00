"""What a plan costs: tuples touched in a second, one that a step remembers counting as one.

The weights say what else costs how much of that. They are coarse: they order plans, and predict nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from windrow.plan.estimates import Estimate, Estimator
from windrow.plan.exchange import Exchange
from windrow.plan.joins import Matching
from windrow.plan.nodes import Leaf, Node, walk
from windrow.plan.patterns import Pattern

PASSED = 0.1
"""A tuple that a step without memory passes on or drops."""
MOVED = 1.0
"""A tuple that an exchange sends elsewhere."""
TOUCHED = 1.0
"""A tuple that a step with memory takes in: looked up, put away."""
GIVEN = 0.5
"""A tuple that such a step gives."""
COMPARED = 0.02
"""A pair of tuples that no key brings together."""
KEPT = 0.001
"""A remembered tuple, each second."""
ENDED: Mapping[Pattern, float] = {
    Pattern.MON: 0.0,
    Pattern.WKS: 0.1,  # the oldest leaves a queue
    Pattern.WK: 0.3,  # found in a calendar
    Pattern.STR: 0.0,  # a negative tuple is counted as one
}
"""The end of a remembered tuple, by the pattern of the edge that it came over."""


def cost(plan: Node, estimator: Estimator) -> float:
    """Of a plan with its exchanges."""
    return sum(work(node, estimator) for node in walk(plan))


def work(node: Node, estimator: Estimator) -> float:
    """Of one step."""
    if isinstance(node, Leaf):
        return 0.0
    found, inputs = estimator.of(node), [estimator.of(each) for each in node.inputs]
    taken = sum(each.events for each in inputs)
    if isinstance(node, Exchange):
        return MOVED * taken
    if not node.keeps_state:
        return PASSED * taken
    edges = zip(inputs, node.inputs, strict=True)
    ends = sum(each.rate * ENDED[below.pattern] for each, below in edges)
    remembered = found.state * (COMPARED if node.scanned else KEPT)
    return TOUCHED * taken + ends + GIVEN * found.events + remembered + _compared(node, inputs)


def _compared(node: Node, inputs: list[Estimate]) -> float:
    """Where no key says which tuples may match, each is compared with all that are there."""
    if not isinstance(node, Matching) or node.keys:
        return 0.0
    left, right = inputs
    return COMPARED * (left.events * right.live + right.events * left.live)
