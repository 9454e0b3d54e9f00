from __future__ import annotations

from tests.plan.building import grouped, last, named, newest, stream
from tests.plan.samples import project
from tests.plan.test_distribute import exchanges
from windrow.plan.nodes import Node
from windrow.plan.rules.push_down_projection import push_down_projection
from windrow.plan.windows import Window


def order(node: Node) -> list[str]:
    """Labels from the top."""
    return [node.label, *(label for each in node.inputs for label in order(each))]


def test_columns_are_computed_below_a_window_of_time() -> None:
    pushed = push_down_projection(project(last(stream("X"), 10, slide=5), ("a + 1", "k", "BIGINT")))
    assert order(pushed) == ["Window", "Project", "Scan"]
    assert pushed.schema.names == ("k",)


def test_an_exchange_can_go_by_what_is_computed() -> None:
    keyed = project(last(stream("X"), 10, slide=5), ("a + 1", "k", "BIGINT"))
    plan = grouped(keyed, "k", n="count(*)")
    assert (exchanges(plan), exchanges(push_down_projection(plan))) == (
        ["hash(k)", "hash(a, b, c)"],
        ["hash(k)"],
    )


def test_what_differs_each_time_is_computed_where_it_was() -> None:
    node = project(last(stream("X"), 10), ("random()", "dice", "DOUBLE"))
    assert push_down_projection(node) == node


def test_a_window_of_tuples_counts_those_that_an_expression_fails_on() -> None:
    node = project(newest(stream("X"), 3), ("CAST(a AS TINYINT)", "k", "TINYINT"))
    assert push_down_projection(node) == node


def test_partitions_go_by_their_new_names() -> None:
    pushed = push_down_projection(named(newest(stream("X"), 3, "b"), Key="b", v="a"))
    assert isinstance(pushed, Window)
    assert pushed.spec.partition == ("Key",)
    assert order(pushed) == ["Window", "Project", "Scan"]


def test_a_partition_that_is_dropped_holds_the_projection_up() -> None:
    node = named(newest(stream("X"), 3, "b"), v="a")
    assert push_down_projection(node) == node
