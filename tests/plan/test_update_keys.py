"""Which columns tell the rows of an answer apart, and that they do."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plan.building import distinct, grouped, having, join, lacking, last, named, top, window
from tests.plan.random_plans import CLOCK, STREAMS, RandomPlan, random_tuples
from tests.plan.reference import answer_at
from tests.plan.samples import project, select
from windrow.catalog import Relation
from windrow.plan.emitting import Changes, ToStream
from windrow.plan.joins import RelationJoin, RelationScan
from windrow.plan.multisets import Except
from windrow.plan.nodes import Node, Union
from windrow.plan.update_keys import update_key
from windrow.schema import Schema

COUNTS = grouped(window("X"), "a", n="count(*)")
TOTAL = grouped(window("X"), m="count(*)")
OTHERS = named(grouped(window("Y"), "b", n="count(*)"), k="b", m="n")


def test_groups_are_told_apart_by_their_keys() -> None:
    assert update_key(COUNTS) == ("a",)
    assert update_key(grouped(window("X"), "b", "a", n="count(*)")) == ("b", "a")


def test_one_row_needs_no_key() -> None:
    assert update_key(TOTAL) == ()
    assert update_key(project(TOTAL, ("m + 1", "more", "BIGINT"))) == ()


def test_the_key_goes_by_the_names_of_the_answer() -> None:
    assert update_key(Changes(named(select(COUNTS, "n > 1"), Total="n", Key="a"))) == ("Key",)


def test_a_key_that_is_dropped_or_computed_tells_nothing() -> None:
    assert update_key(named(COUNTS, n="n")) is None
    assert update_key(project(COUNTS, ("a + 1", "a", "BIGINT"), ("n", "n", "BIGINT"))) is None


def test_choosing_rows_keeps_the_key() -> None:
    assert update_key(top(COUNTS, 3, "n")) == ("a",)
    assert update_key(having(COUNTS, OTHERS, "a = k")) == ("a",)
    assert update_key(lacking(COUNTS, OTHERS, "a = k")) == ("a",)
    assert update_key(Except(COUNTS, OTHERS, distinct=True)) == ("a",)


def test_tuples_of_windows_have_no_key() -> None:
    assert update_key(window("X")) is None
    assert update_key(distinct(window("X"))) is None
    assert update_key(Union((COUNTS, OTHERS))) is None
    assert update_key(last(ToStream(COUNTS, "Istream"), 5)) is None


def test_a_join_goes_by_the_side_whose_rows_have_one_partner() -> None:
    by_x = named(COUNTS, x="a", l="n")
    assert update_key(join(by_x, OTHERS, "x = k", kind="left")) == ("x",)
    assert update_key(join(by_x, OTHERS, "l = k")) == ("x",)
    assert update_key(join(by_x, OTHERS, "x = m")) == ("k",)
    assert update_key(join(by_x, OTHERS, "l = m")) == ("x", "k")
    assert update_key(join(by_x, OTHERS, "x = k", kind="full")) == ("x", "k")
    assert update_key(join(window("X"), OTHERS, "a = k")) is None


def test_rows_of_a_table_go_by_its_key() -> None:
    columns = Schema.of(("City", "BIGINT"), ("name", "VARCHAR"))
    cities = RelationScan(Relation("Cities", columns, ("City",)), columns.names)
    assert update_key(cities) == ("City",)
    assert update_key(RelationScan(Relation("Cities", columns), columns.names)) is None
    assert update_key(RelationScan(Relation("Cities", columns, ("City",)), ("name",))) is None
    assert update_key(RelationJoin(COUNTS, cities, (("a", "City"),), None)) == ("a",)


@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_no_two_rows_share_a_key(chance: Random) -> None:
    plans = RandomPlan(chance)
    plan: Node = grouped(plans.grown(chance.randint(0, 1)), n="count(*)")
    while chance.random() < 0.8 or (key := update_key(plan)) is None:
        plan = plans.grown(chance.randint(1, 3))
    streams = {name: random_tuples(chance) for name in STREAMS}
    places = [plan.schema.names.index(name) for name in key]
    keys = Counter(tuple(row[place] for place in places) for row in answer_at(plan, CLOCK, streams))
    assert set(keys.values()) <= {1}
