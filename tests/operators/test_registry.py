from __future__ import annotations

from collections.abc import Iterator

import pytest

import windrow
import windrow.plan.emitting
import windrow.plan.exchange
import windrow.plan.multisets
from windrow.catalog import Stream
from windrow.operators import registry
from windrow.operators.registry import AWAITED, OPERATORS, WITHOUT_OPERATOR, check_runnable
from windrow.plan.nodes import Node, Scan
from windrow.plan.windows import Extent, Window, WindowSpec
from windrow.schema import Schema


def nodes(above: type[Node] = Node) -> Iterator[type[Node]]:
    for each in above.__subclasses__():
        if "label" in vars(each):
            yield each
        yield from nodes(each)


def test_every_node_has_an_operator_or_a_reason_why_not() -> None:
    missing = {each.__name__ for each in nodes()} - {each.__name__ for each in OPERATORS}
    assert missing == {*WITHOUT_OPERATOR, *AWAITED}
    assert all(WITHOUT_OPERATOR.values())
    assert not {*WITHOUT_OPERATOR} & {*AWAITED}


def test_a_plan_whose_operators_are_still_to_come_is_refused_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "AWAITED", {"Window": "windows"})
    scan = Scan(Stream("S", Schema.of(("a", "INTEGER"))), ("a",))
    with pytest.raises(windrow.Error) as refused:
        check_runnable(Window(scan, WindowSpec(Extent.TIME, 60_000_000)))
    assert refused.value.message == "this query needs what does not run yet: windows"
