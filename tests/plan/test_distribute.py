"""Tuples are where each step needs them: as drawn, and by running every stage on shares of the tuples."""

from __future__ import annotations

from itertools import product
from random import Random

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.plan.building import (
    distinct,
    grouped,
    join,
    lacking,
    last,
    named,
    newest,
    over,
    stream,
    top,
    window,
)
from tests.plan.random_plans import CLOCK, STREAMS, RandomPlan, random_tuples
from tests.plan.reference import answer_at, content, fetch
from tests.plan.samples import project, select
from windrow.plan.distribute import distribute
from windrow.plan.emitting import Changes, ToStream
from windrow.plan.exchange import Exchange, level
from windrow.plan.nodes import Leaf, Node, Union, walk
from windrow.plan.stages import RESULT, CompiledPlan, StageInput, StageOutput, compile_plan

SHARES = range(3)


def exchanges(node: Node) -> list[str]:
    """Where tuples are sent, from the top."""
    return [str(each.to) for each in walk(distribute(node)) if isinstance(each, Exchange)]


def test_what_keeps_no_state_is_not_moved() -> None:
    assert exchanges(project(select(window("X"), "a = 1"), ("a", "a", "BIGINT"))) == []


def test_a_step_with_state_is_not_in_the_stage_that_reads_streams() -> None:
    assert exchanges(last(stream("X"), 10, slide=5)) == ["hash(a, b, c)"]
    assert exchanges(Changes(window("X"))) == ["hash(a, b, c)"]


def test_one_exchange_brings_what_steps_further_up_need() -> None:
    sliding = last(select(stream("X"), "b > 0"), 10, slide=5)
    assert exchanges(grouped(sliding, "a", n="count(*)")) == ["hash(a)"]
    renamed = named(select(sliding, "c > 0"), k="a", v="b")
    assert exchanges(Changes(grouped(renamed, "k", n="count(*)"))) == ["hash(a)"]


def test_a_part_of_the_keys_is_enough() -> None:
    pairs_ = grouped(window("X"), "a", "b", n="count(*)")
    assert exchanges(pairs_) == ["hash(a, b)"]
    assert exchanges(grouped(pairs_, "b", most="max(n)")) == ["hash(b)"]
    assert exchanges(distinct(named(window("X"), k="a", v="b"))) == ["hash(k, v)"]


def test_what_is_computed_above_a_step_cannot_be_wished_below_it() -> None:
    computed = project(last(stream("X"), 10, slide=5), ("a + 1", "k", "BIGINT"))
    assert exchanges(grouped(computed, "k", n="count(*)")) == ["hash(k)", "hash(a, b, c)"]


def test_a_column_of_another_type_is_another_key() -> None:
    narrowed = project(grouped(window("X"), "a", n="count(*)"), ("a", "k", "INTEGER"))
    assert exchanges(grouped(narrowed, "k", n="count(*)")) == ["hash(k)", "hash(a)"]


def test_steps_of_one_place_are_in_one_place() -> None:
    assert exchanges(grouped(window("X"), n="count(*)")) == ["single"]
    assert exchanges(newest(stream("X"), 3)) == ["single"]
    assert exchanges(top(grouped(window("X"), "a", n="count(*)"), 3, "n")) == ["single", "hash(a)"]
    assert exchanges(grouped(newest(stream("X"), 3), "a", n="count(*)")) == ["single"]


def test_both_sides_of_a_join_go_by_its_keys() -> None:
    right = named(window("Y"), x="a", y="b")
    assert exchanges(join(window("X"), right, "a = x")) == ["hash(a)", "hash(x)"]
    assert exchanges(join(window("X"), right)) == ["single", "single"]


def test_a_chain_of_joins_on_one_key_moves_each_input_once() -> None:
    first = join(window("X"), named(window("Y"), x="a"), "a = x")
    chain = join(first, named(window("Z"), z="b"), "x = z")
    assert exchanges(grouped(chain, "z", n="count(*)")) == ["hash(a)", "hash(x)", "hash(z)"]


def test_an_outer_join_leaves_the_lonely_where_they_were() -> None:
    both = join(window("X"), named(window("Y"), x="a"), "a = x", kind="left")
    assert exchanges(grouped(both, "a", n="count(*)")) == ["hash(a)", "hash(x)"]
    assert exchanges(grouped(both, "x", n="count(*)"))[0] == "hash(x)"
    full = join(window("X"), named(window("Y"), x="a"), "a = x", kind="full")
    assert exchanges(grouped(full, "a", n="count(*)"))[0] == "hash(a)"


def test_a_join_takes_one_side_as_it_lies() -> None:
    counts = grouped(named(window("X"), k="a"), "k", n="count(*)")
    both = join(counts, window("Y"), "k = a", "n = b")
    assert exchanges(both) == ["hash(k)", "hash(a)"]


def test_joins_on_different_keys_move_the_result_of_the_first() -> None:
    first = join(window("X"), named(window("Y"), x="a", y="b"), "a = x")
    second = join(first, named(window("Z"), z="a"), "y = z")
    assert exchanges(second) == ["hash(y)", "hash(a)", "hash(x)", "hash(z)", "hash(z)"]
    assert level(distribute(second)) == 2


def test_keyed_branches_of_a_union_stay_where_they_are() -> None:
    counts = grouped(window("X"), "a", n="count(*)")
    others = named(window("Y"), x="b", y="c")
    assert exchanges(distinct(Union((counts, others)))) == ["hash(a)", "hash(x)"]


def test_not_in_sees_the_nulls_of_all() -> None:
    assert exchanges(lacking(window("X"), named(window("Y"), x="a"), "a = x", not_in=True)) == [
        "single",
        "single",
    ]


def test_equal_tuples_come_together_before_they_are_made_a_stream() -> None:
    dropped = project(grouped(window("X"), "a", n="count(*)"), ("n", "n", "BIGINT"))
    assert exchanges(ToStream(dropped, "Istream")) == ["hash(n)", "hash(a)"]
    assert exchanges(ToStream(grouped(window("X"), "a", n="count(*)"), "Dstream")) == ["hash(a)"]
    assert exchanges(ToStream(distinct(window("X")), "Rstream"))[0] == "single"


def test_what_two_steps_need_at_the_same_place_is_sent_there_once() -> None:
    left = grouped(window("X"), "a", n="count(*)")
    right = named(grouped(window("X"), "a", m="max(b)"), x="a", m="m")
    stages = compile_plan(join(left, right, "a = x")).stages
    assert [len(stage.outputs) for stage in stages] == [1, 1]


def test_over_of_a_partition_wishes_for_it() -> None:
    sums = over(last(stream("X"), 10).input, 10, "b", n="count(*)")
    assert exchanges(sums) == ["hash(b)"]


def test_what_goes_by_the_order_of_arrival_gets_it_from_one_place() -> None:
    counts = over(select(stream("X"), "a > 0"), 10, "b", n="count(*)")
    assert exchanges(newest(counts, 3)) == ["single"]
    assert exchanges(newest(counts, 3, "b")) == ["hash(b)"]
    assert exchanges(newest(counts, 3, "a")) == ["single"]
    assert exchanges(over(counts, 10, "a", m="first(n)")) == ["single"]
    assert exchanges(over(counts, 10, "a", m="max(n)")) == ["hash(a)", "hash(b)"]
    assert exchanges(grouped(last(counts, 10), "a", m="last(n)")) == ["single"]


@settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_each_place_needs_nothing_of_the_others(chance: Random) -> None:
    plan = RandomPlan(chance).grown(chance.randint(1, 4))
    streams = {name: random_tuples(chance) for name in STREAMS}
    compiled = compile_plan(plan)
    check_levels(compiled.node)
    assert spread_answer(compiled, streams) == answer_at(plan, CLOCK, streams)


@pytest.mark.slow
@settings(deadline=None, max_examples=400, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_each_place_needs_nothing_of_the_others_in_deeper_plans(chance: Random) -> None:
    plan = RandomPlan(chance).grown(chance.randint(3, 6))
    streams = {name: random_tuples(chance) for name in STREAMS}
    assert spread_answer(compile_plan(plan), streams) == answer_at(plan, CLOCK, streams)


def check_levels(node: Node) -> None:
    """Inputs side by side are of one stage, and no step with state is in the first."""
    assert len({level(each) for each in node.inputs}) < 2
    assert level(node) > 0 or not node.keeps_state
    for each in node.inputs:
        check_levels(each)


def spread_answer(compiled: CompiledPlan, streams: dict[str, pa.Table]) -> list[tuple[object, ...]]:
    """The answer, each stage evaluated on each share of the tuples by itself."""
    with duckdb.connect(config={"threads": 1}) as engine:
        for name, table in streams.items():
            for share in SHARES:
                slice_ = [
                    clock * len(SHARES) // (CLOCK + 1) == share for clock in table["__ts"].to_pylist()
                ]
                engine.register(f"{name}_{share}", table.filter(pa.array(slice_, pa.bool_())))
        for stage in compiled.stages:
            for share, output in product(SHARES, stage.outputs):
                tables: dict[Leaf, str] = {each.leaf: f"{_table(each)}_{share}" for each in stage.inputs}
                query = content(output.root, CLOCK, tables, home=share == SHARES[0])
                engine.execute(f"CREATE TABLE {output.id}_from_{share} AS {query}")
            for output in stage.outputs:
                _send(engine, output)
        names = ", ".join(f'"{name}"' for name in compiled.schema.names)
        return fetch(engine, f"SELECT {names} FROM {_together(RESULT)}")


def _table(input_: StageInput) -> str:
    return input_.scan.stream.name if input_.scan else input_.id


def _together(output: str) -> str:
    parts = " UNION ALL ".join(f"SELECT * FROM {output}_from_{share}" for share in SHARES)
    return f"({parts})"


def _send(engine: duckdb.DuckDBPyConnection, output: StageOutput) -> None:
    keys = ", ".join(f'"{key}"' for key in output.to.keys) if output.to else ""
    bucket = f"hash({keys}) % {len(SHARES)}" if keys else "0"
    for share in SHARES:
        chosen = f"SELECT * FROM {_together(output.id)} WHERE {bucket} = {share}"
        engine.execute(f"CREATE TABLE {output.id}_{share} AS {chosen}")
