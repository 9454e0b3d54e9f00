"""Strategies for telling ends: what becomes of plans, and that answers do not depend on them."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plan.building import join, last, named, newest, stream, window
from tests.plan.random_plans import CLOCK, STREAMS, random_tuples, runnable
from tests.plan.reference import answer_at
from tests.plan.running import answers, compiled, run_plan
from tests.plan.samples import project, select
from windrow.catalog import Relation
from windrow.plan.emitting import Changes, ToStream
from windrow.plan.expiration import Expiration, Expire, expiring
from windrow.plan.joins import RelationJoin, RelationScan
from windrow.plan.nodes import Union, walk
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Append

RIGHT = named(window("Y"), x="a", y="b")
NEGATIVE = Expiration.NEGATIVE


def test_every_window_tells_its_ends_by_negative_tuples() -> None:
    told = expiring(Changes(join(window("X"), RIGHT, "a = x")), NEGATIVE)
    right = named(window("Y"), x="a", y="b")
    assert told == Changes(join(Expire(window("X")), Expire(right), "a = x"))
    assert told.inputs[0].pattern is Pattern.STR


def test_a_window_keeps_only_what_is_selected() -> None:
    chosen, all_ = project(select(window("X"), "a = 1"), ("a", "a", "BIGINT")), named(window("Y"), a="a")
    assert expiring(Union((chosen, all_)), NEGATIVE) == Union((Expire(chosen), Expire(all_)))


def test_ends_that_are_told_already_are_told_once() -> None:
    plan = Union((Expire(join(window("X"), RIGHT, "a = x")), join(newest(stream("X"), 3), RIGHT, "a = x")))
    told, other = expiring(plan, NEGATIVE).inputs
    assert told == join(Expire(window("X")), Expire(RIGHT), "a = x")
    assert other == join(newest(stream("X"), 3), Expire(RIGHT), "a = x")


def test_negative_tuples_come_of_windows_of_so_many_anyway() -> None:
    plan = join(newest(stream("X"), 3), RIGHT, "a = x")
    assert expiring(plan, NEGATIVE).inputs == (newest(stream("X"), 3), Expire(RIGHT))


def test_a_window_of_a_query_s_results_does_too() -> None:
    inner = ToStream(window("X"), "Istream")
    told = expiring(last(inner, 10), NEGATIVE)
    assert told == Expire(last(ToStream(Expire(window("X")), "Istream"), 10))


def test_what_does_not_end_with_its_window_needs_no_telling() -> None:
    plan = Append(select(window("X"), "a = 1"))
    assert expiring(plan, NEGATIVE) == plan
    joined = expiring(Append(join(window("X"), RIGHT, "a = x")), NEGATIVE)
    assert joined == Append(join(Expire(window("X")), Expire(RIGHT), "a = x"))


@pytest.mark.parametrize("retroactive", [True, False])
def test_a_join_with_an_nrr_takes_no_negative_tuples(retroactive: bool) -> None:
    relation = Relation("R", named(stream("R"), p="a", q="b").schema, retroactive=retroactive)
    scan = RelationScan(relation, ("p", "q"))
    plan = RelationJoin(window("X"), scan, (("a", "p"),), None, retroactive=retroactive)
    told = plan.over(Expire(window("X")), scan) if retroactive else Expire(plan)
    assert expiring(plan, NEGATIVE) == told


def test_the_direct_approach_scans_everywhere() -> None:
    plan = expiring(Changes(join(window("X"), RIGHT, "a = x")), Expiration.DIRECT)
    assert all(node.scanned for node in walk(plan))


def until(clock: int, streams: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """The tuples so far."""
    return {name: table.filter(pc.field("__ts") <= clock) for name, table in streams.items()}


@pytest.mark.parametrize("how", [Expiration.UPA, Expiration.NEGATIVE, Expiration.DIRECT], ids=str)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32))
def test_the_answer_at_every_clock_is_that_of_plain_sql(how: Expiration, seed: int) -> None:
    chance = Random(seed)
    plan = runnable(chance, 2)
    streams = {name: random_tuples(chance) for name in STREAMS}
    clocks = sorted(chance.sample(range(CLOCK + 15), chance.randint(1, 6)))
    told = answers(run_plan(compiled(plan, how), streams, clocks))
    assert told == [answer_at(plan, clock, until(clock, streams)) for clock in clocks]
