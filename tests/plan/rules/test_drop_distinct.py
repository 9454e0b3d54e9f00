from __future__ import annotations

import pytest

from tests.plan.building import distinct, grouped, join, named, top, window
from tests.plan.samples import project, select
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node, Union
from windrow.plan.rules.drop_distinct import drop_distinct

COUNTS = grouped(window("X"), "a", n="count(*)")
PAIRS = named(window("X"), x="a", y="b")
MORE = named(window("Y"), v="a", w="b")


@pytest.mark.parametrize(
    "node",
    [
        COUNTS,
        distinct(window("X")),
        select(distinct(window("X")), "a > 1"),
        named(distinct(PAIRS), q="y", p="x"),
        top(distinct(window("X")), 3, "a"),
        Intersect(PAIRS, MORE, distinct=True),
        Except(distinct(PAIRS), MORE, distinct=False),
        join(COUNTS, named(grouped(window("Y"), "b", m="count(*)"), k="b", m="m"), "a = k"),
    ],
    ids=lambda node: node.label,
)
def test_rows_that_differ_stay_as_they_are(node: Node) -> None:
    assert drop_distinct(distinct(node)) == node


@pytest.mark.parametrize(
    "node",
    [
        window("X"),
        named(COUNTS, n="n"),
        named(distinct(PAIRS), x="x"),
        project(distinct(PAIRS), ("x + y", "z", "BIGINT")),
        Except(PAIRS, MORE, distinct=False),
        Union((distinct(PAIRS), distinct(MORE))),
        join(distinct(PAIRS), MORE, "x = v"),
    ],
    ids=lambda node: node.label,
)
def test_rows_that_may_be_equal_need_distinct(node: Node) -> None:
    assert drop_distinct(distinct(node)) == distinct(node)
