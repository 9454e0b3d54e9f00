from __future__ import annotations

from collections.abc import Iterator

from windrow.operators.registry import OPERATORS, WITHOUT_OPERATOR
from windrow.plan.nodes import Node


def nodes(above: type[Node] = Node) -> Iterator[type[Node]]:
    for each in above.__subclasses__():
        if "label" in vars(each):
            yield each
        yield from nodes(each)


def test_every_node_has_an_operator_or_a_reason_why_not() -> None:
    missing = {each.__name__ for each in nodes()} - {each.__name__ for each in OPERATORS}
    assert missing == {*WITHOUT_OPERATOR}
    assert all(WITHOUT_OPERATOR.values())
