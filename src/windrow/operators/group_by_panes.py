"""One result a group of the live tuples of a window that slides, where tuples are added up as they come.

What lies between two moves of the window is one change of each group, however many tuples it has, and no
tuple is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from windrow.aggregates.events import Events, Places
from windrow.aggregates.ledger import Ledger
from windrow.aggregates.panes import Panes
from windrow.aggregates.parts import Ending
from windrow.delta import NEVER, Delta
from windrow.operators.group_by import Grouped
from windrow.operators.time_window import slot
from windrow.plan.grouping import GroupByPanes

BLOCK = 1 << 16
"""So many tuples are added up at once: few enough for the processor's cache."""


class GroupByPanesOperator(Grouped[Panes]):
    """Runs a GroupByPanes node."""

    def __init__(self, node: GroupByPanes) -> None:
        self._size, self._slide = node.spec.size, node.spec.slide or 1
        panes = partial(Panes, size=self._size, slide=self._slide)
        super().__init__(node, Ledger(node.input.schema, Ending.PANES), panes)

    def _events(self, delta: Delta) -> Events:
        for block in self._blocks(delta):
            self._population.arrive(block.ts, block.rows, self._groups(block.rows), self._capacity)
        return self._population.pass_until(delta.clock, self._capacity)

    def _observe(self, events: Events) -> None:
        self._ledger.combine(events)

    def _forgotten(self, groups: Places) -> Places:
        return groups[~self._population.await_cells(groups)]

    def _blocks(self, delta: Delta) -> Iterator[Delta]:
        """The tuples that some window sees, so many at a time."""
        for start in range(0, len(delta), BLOCK):
            block = delta.between(start, min(start + BLOCK, len(delta)))
            if self._size < self._slide or block.ts[-1] > NEVER - self._size - self._slide:
                seen = slot(block.ts, self._slide) < slot(block.ts, self._slide, self._size)
                block = block.take(seen)
            yield block
