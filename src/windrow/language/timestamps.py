"""Which output columns of a plan hold the timestamps that its tuples carry unseen."""

from __future__ import annotations

import functools

from sqlglot import exp

from windrow.plan.grouping import Over
from windrow.plan.nodes import DistinctInstant, Node, Project, Scan, Select, Union
from windrow.plan.windows import Extent


def timestamp_column(node: Node) -> str | None:
    """The first output column that is the timestamp, passed through unchanged; None without one."""
    positions = timestamp_positions(node)
    return node.schema.names[min(positions)] if positions else None


@functools.singledispatch
def timestamp_positions(_: Node) -> frozenset[int]:
    """The places, from 0, of the output columns that equal the timestamp of each tuple."""
    return frozenset()


@timestamp_positions.register
def _(node: Scan) -> frozenset[int]:
    names = node.schema.names
    return frozenset(place for place, name in enumerate(names) if name == node.stream.timestamp)


@timestamp_positions.register(Select)
@timestamp_positions.register(DistinctInstant)
def _(node: Select | DistinctInstant) -> frozenset[int]:
    return timestamp_positions(node.input)


@timestamp_positions.register
def _(node: Project) -> frozenset[int]:
    below = {node.input.schema.names[place] for place in timestamp_positions(node.input)}
    return frozenset(
        place
        for place, expression in enumerate(node.expressions)
        if isinstance(expression, exp.Column) and expression.name in below
    )


@timestamp_positions.register
def _(node: Over) -> frozenset[int]:
    """A slot's result comes at the end of the slot, and that of a tuple which leaves when it leaves."""
    frame = node.frame
    is_told_later = frame.active or (frame.extent is Extent.TIME and frame.slide is not None)
    return frozenset() if is_told_later else timestamp_positions(node.input)


@timestamp_positions.register
def _(node: Union) -> frozenset[int]:
    return frozenset.intersection(*(timestamp_positions(branch) for branch in node.branches))
