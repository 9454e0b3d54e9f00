"""What stands for a step that runs in one place, in all other places: it gives nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from windrow.delta import Delta
from windrow.operators.base import Operator
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern


class Elsewhere(Operator):
    """Stands for any node that needs all tuples together; of nothing that node may give something."""

    def __init__(self, node: Node) -> None:
        nothing = Delta.empty(0, node.schema.arrow)
        if node.pattern is Pattern.STR:
            nothing = replace(nothing, sign=np.empty(0, np.int8))
        elif node.pattern is not Pattern.MON:
            nothing = replace(nothing, exp=np.empty(0, np.int64))
        self._nothing = nothing

    def on_deltas(self, inputs: Sequence[Delta]) -> Delta:
        return self._nothing.at(inputs[0].clock)
