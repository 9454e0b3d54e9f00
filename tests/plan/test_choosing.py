"""The plan that is chosen is the cheapest of those that mean the same."""

from __future__ import annotations

import pytest

from tests.plan.building import distinct, join, lacking, last, named, newest, stream
from tests.plan.samples import project
from windrow.plan.choosing import MOST, Choice, choose
from windrow.plan.cost import cost
from windrow.plan.distribute import distribute
from windrow.plan.estimates import Estimator
from windrow.plan.expiration import Expiration
from windrow.plan.joins import Join, Negation
from windrow.plan.nodes import Node, Project, scans, walk
from windrow.plan.statistics import Observed, Statistics

SECOND = 1_000_000


def seen(rate: float, values: float) -> Observed:
    return Observed(rate, values=(("a", values), ("b", values)))


def window(name: str, seconds: int = 100) -> Node:
    """A window whose columns are named after its stream."""
    low = name.lower()
    return named(last(stream(name), seconds * SECOND), **{f"{low}a": "a", f"{low}b": "b"})


def joined_and_lacking() -> Node:
    """SELECT … FROM X, Y WHERE X.a = Y.a AND NOT EXISTS (SELECT … FROM Z WHERE Z.a = X.a)"""
    return lacking(join(window("X"), window("Y"), "xa = ya"), window("Z"), "xa = za")


def top(plan: Node) -> str:
    """The upper one of a join and a negation."""
    return next(node.label for node in walk(plan) if isinstance(node, Join | Negation))


def test_a_negation_that_drops_little_stays_above_a_join_that_gives_little() -> None:
    known = Statistics.of(x=seen(10, 5000), y=seen(10, 5000), z=seen(10, 5000))
    assert top(choose(joined_and_lacking(), known).plan) == "Negation"


def test_a_negation_that_drops_much_goes_below_a_join_that_gives_much() -> None:
    known = Statistics.of(x=seen(10, 100), y=seen(10, 100), z=seen(10, 100))
    choice = choose(joined_and_lacking(), known)
    assert top(choice.plan) == "Join"
    assert choice.alternatives[0].steps == ("push_down_negation",)


def test_with_negative_tuples_everywhere_a_negation_costs_less_below() -> None:
    """Where all ends are told by negative tuples anyway, only the number of tuples counts."""
    values = next(
        each
        for each in range(100, 5000, 100)
        if top(choose(joined_and_lacking(), Statistics.of(**dict.fromkeys("xyz", seen(10, each)))).plan)
        == "Negation"
    )
    known = Statistics.of(**dict.fromkeys("xyz", seen(10, values)))
    assert top(choose(joined_and_lacking(), known, Expiration.NEGATIVE).plan) == "Join"


def first(plan: Node) -> set[str]:
    """The streams of the lowest join."""
    lowest = [node for node in walk(plan) if isinstance(node, Join)][-1]
    return {scan.stream.name for scan in scans(lowest)}


def four_joined() -> Node:
    windows = {name: window(name, 200 if name == "C" else 100) for name in "DCBA"}
    node = windows["A"]
    for name in "DCB":
        node = join(node, windows[name], f"aa = {name.lower()}a")
    return node


def test_joins_that_give_little_come_first() -> None:
    """The thesis's first example of join orders (table 5.3): S1 and S2 first is cheapest."""
    known = Statistics.of(a=seen(10, 500), b=seen(1, 50), c=seen(1, 40), d=seen(3, 5))
    choice = choose(four_joined(), known)
    assert first(four_joined()) == {"A", "D"}
    assert first(choice.plan) == {"A", "B"}


def test_distinct_goes_below_a_join_of_many_duplicates() -> None:
    known = Statistics.of(x=seen(50, 20), y=seen(50, 20))
    left, right = (named(window(name), **{name: f"{name.lower()}a"}) for name in "XY")
    choice = choose(distinct(named(join(left, right, "X = Y"), a="X")), known)
    assert [node.label for node in walk(choice.plan)].count("Distinct") >= 2
    assert choice.alternatives[0].cost < choice.alternatives[-1].cost / 10


def all_of(choice: Choice) -> list[float]:
    return [each.cost for each in choice.alternatives]


def test_alternatives_are_told_the_chosen_first() -> None:
    known = Statistics.of(x=seen(10, 100), y=seen(10, 100), z=seen(10, 100))
    choice = choose(joined_and_lacking(), known)
    assert all_of(choice) == sorted(all_of(choice))
    assert choice.alternatives[0].cost == pytest.approx(cost(distribute(choice.plan), Estimator(known)))
    assert () in {each.steps for each in choice.alternatives}


def test_a_query_stays_as_it_was_written_unless_that_pays() -> None:
    known = Statistics.of(x=seen(10, 50), y=seen(10, 50), z=seen(10, 50))
    node = join(join(window("X"), window("Y"), "xa = ya"), window("Z"), "xa = za")
    assert choose(node, known).alternatives[0].steps == ()


def test_the_same_text_has_the_same_plan_every_time() -> None:
    assert choose(four_joined()) == choose(four_joined())


def test_very_many_orders_are_not_all_looked_at() -> None:
    node: Node = window("A")
    for name in "BCDEFGHIJ":
        node = join(node, window(name), f"aa = {name.lower()}a")
    assert len(choose(node).alternatives) == MOST


def test_other_plans_give_the_columns_in_the_same_order() -> None:
    known = Statistics.of(a=seen(10, 500), b=seen(1, 50), c=seen(1, 40), d=seen(3, 5))
    node = project(four_joined(), ("da + 1", "d", "BIGINT"), ("aa", "a", "BIGINT"))
    found = choose(node, known).plan
    assert found.schema == node.schema
    assert any(isinstance(each, Project) for each in walk(found))


def test_a_count_window_makes_all_above_it_strict_and_is_counted_so() -> None:
    known = Statistics.of(x=seen(10, 50), y=seen(10, 50))
    timed = join(window("X"), window("Y"), "xa = ya")
    counted = join(
        named(newest(stream("X"), 1000), xa="a", xb="b"),
        named(newest(stream("Y"), 1000), ya="a", yb="b"),
        "xa = ya",
    )
    assert choose(counted, known).alternatives[0].cost > choose(timed, known).alternatives[0].cost
