"""Which operator runs a window: it depends on by what the window is measured, and how it moves."""

from __future__ import annotations

from windrow.operators.base import Operator
from windrow.operators.count_window import CountWindow
from windrow.operators.time_window import SlidingTimeWindow, TimeWindow
from windrow.plan.windows import Extent, OutputWindow, Window


def window_operator(node: Window | OutputWindow) -> Operator:
    """A new operator for a window of a stream or of results."""
    if node.spec.extent is Extent.COUNT:
        return CountWindow(node)
    return TimeWindow(node) if node.spec.slide is None else SlidingTimeWindow(node)
