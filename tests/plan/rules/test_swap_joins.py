"""Joins change places where the upper one needs only one side of the lower one."""

from __future__ import annotations

import pytest

from tests.plan.building import join, named, shape, window
from tests.plan.samples import project
from windrow.plan.joins import Join
from windrow.plan.nodes import Node, walk
from windrow.plan.patterns import Pattern
from windrow.plan.rules.alternatives import everywhere
from windrow.plan.rules.swap_joins import swap_joins

A = named(window("X"), a="a", b="b")
B = named(window("Y"), c="a", d="b")
C = named(window("X"), e="a", f="b")


def swapped(node: Node) -> list[Node]:
    """What the joins became, without the projection that restores the order of columns."""
    found = [*swap_joins(node)]
    assert all(each.schema == node.schema for each in found)
    return [each.inputs[0] for each in found]


def test_the_upper_join_goes_first_on_the_side_that_has_its_key() -> None:
    lower = join(A, B, "a = c")
    assert swapped(join(lower, C, "b = e")) == [join(join(A, C, "b = e"), B, "a = c")]
    assert swapped(join(lower, C, "d = e")) == [join(join(B, C, "d = e"), A, "c = a")]


def test_conditions_go_where_all_their_columns_are() -> None:
    node = join(join(A, B, "a = c", where="b < d"), C, "b = e", where="a < f AND d < f")
    (found,) = swapped(node)
    expected = join(join(A, C, "b = e", where="a < f"), B, "a = c", where="b < d AND d < f")
    assert shape(found) == shape(expected)


def test_keys_that_are_computed_between_the_joins_are_computed_below() -> None:
    between = project(join(A, B, "a = c"), ("a + 1", "k", "BIGINT"), ("d", "d", "BIGINT"))
    (node,) = swapped(join(between, C, "k = e"))
    assert isinstance(node, Join)
    assert {each.label for each in node.left.inputs} == {"Project"}
    assert node.keys == (("a", "c"),)


def test_left_joins_change_places_with_inner_ones() -> None:
    """So what is strict comes last, or what drops much comes first."""
    late = join(join(A, C, "b = e"), B, "a = c", kind="left")
    early = join(join(A, B, "a = c", kind="left"), C, "b = e")
    assert (swapped(early), swapped(late)) == ([late], [early])
    assert late.inputs[0].pattern is Pattern.WK


def test_one_swap_after_another_reaches_every_order() -> None:
    d = named(window("Y"), g="a")
    first = join(join(join(A, B, "a = c"), C, "a = e"), d, "a = g")
    seen, waiting = {_order(first)}, [first]
    while waiting:
        for each in everywhere(swap_joins, waiting.pop()):
            if _order(each) not in seen:
                seen.add(_order(each))
                waiting.append(each)
    assert len(seen) == 6  # A with each of three, then with each of two


def _order(node: Node) -> tuple[str, ...]:
    return tuple(str(each.keys) for each in walk(node) if isinstance(each, Join))


@pytest.mark.parametrize(
    "node",
    [
        pytest.param(join(join(A, B, "a = c"), C, "b = e", "d = f"), id="the key is of both sides"),
        pytest.param(join(join(A, B, "a = c"), C), id="no key"),
        pytest.param(join(join(A, B), C, "b = e"), id="no key below"),
        pytest.param(join(join(A, B, "a = c", kind="left"), C, "d = e"), id="by what may be missing"),
        pytest.param(join(join(A, B, "a = c", kind="full"), C, "b = e"), id="a full join below"),
        pytest.param(join(join(A, B, "a = c"), C, "b = e", kind="right"), id="a right join above"),
        pytest.param(
            join(join(A, B, "a = c"), C, "b = e", where="d < f", kind="left"), id="a condition on the rest"
        ),
        pytest.param(
            join(project(join(A, B, "a = c"), ("random()", "k", "BIGINT")), C, "k = e"), id="random"
        ),
    ],
)
def test_elsewhere_they_stay(node: Node) -> None:
    assert [*swap_joins(node)] == []
