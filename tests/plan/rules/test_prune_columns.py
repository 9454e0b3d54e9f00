from __future__ import annotations

from dataclasses import replace

from tests.plan.building import (
    distinct,
    grouped,
    having,
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
from tests.plan.samples import project, scan, select
from windrow.catalog import Relation
from windrow.plan.emitting import ToStream
from windrow.plan.grouping import Frame
from windrow.plan.joins import RelationJoin, RelationScan
from windrow.plan.multisets import Except
from windrow.plan.nodes import DistinctInstant, Node, Project, Union, scans
from windrow.plan.rules.prune_columns import prune_columns
from windrow.plan.windows import Append, Extent
from windrow.schema import Schema


def read(node: Node) -> list[tuple[str, ...]]:
    return [each.columns for each in scans(prune_columns(node))]


def test_a_scan_reads_what_is_used_and_not_the_timestamp() -> None:
    assert read(project(select(scan("X"), "S = 'u'"), ("b + 1", "c", "BIGINT"))) == [("b", "s")]


def test_the_answer_keeps_all_its_columns() -> None:
    assert prune_columns(select(scan("X"), "a = 1")) == select(scan("X"), "a = 1")


def test_rows_without_columns_keep_a_cheap_one() -> None:
    assert read(project(scan("X"), ("1", "one", "INTEGER"))) == [("a",)]


def test_an_expression_that_nobody_uses_is_not_computed() -> None:
    inner = project(scan("X"), ("a", "a", "BIGINT"), ("upper(s)", "big", "VARCHAR"))
    pruned = prune_columns(project(inner, ("a + 1", "c", "BIGINT")))
    assert pruned.inputs[0].detail == "a"


def test_branches_of_a_union_keep_the_same_places() -> None:
    union = Union((select(scan("X"), "s = 'u'"), scan("Y")))
    node = project(union, ("b", "b", "BIGINT"))
    assert read(node) == [("b", "s"), ("b",)]
    left = prune_columns(node).inputs[0].inputs[0]
    assert isinstance(left, Project)
    assert left.schema.names == ("b",)


def test_distinct_needs_all_columns() -> None:
    node = project(DistinctInstant(scan("X")), ("a", "a", "BIGINT"))
    assert read(node) == [("a", "b", "s", "t")]


def reads(node: Node, *columns: str) -> list[tuple[str, ...]]:
    """What is read for some of a plan's columns."""
    return read(named(node, **{name: name for name in columns}))


def test_windows_carry_what_is_asked_and_their_partitions() -> None:
    assert reads(last(stream("X"), 10), "a") == [("a",)]
    assert reads(newest(stream("X"), 3, "b"), "a") == [("a", "b")]


def test_aggregates_that_nobody_asks_for_are_not_computed() -> None:
    counts = grouped(window("X"), "a", n="count(*)", most="max(b)", least="min(c)")
    assert reads(counts, "least") == [("a", "c")]
    assert reads(counts, "a") == [("a",)]
    assert prune_columns(named(counts, n="n")).inputs[0].schema.names == ("a", "n")


def test_an_aggregate_without_keys_is_asked_something() -> None:
    pruned = prune_columns(project(grouped(window("X"), n="max(b)", m="min(c)"), ("1", "one", "INTEGER")))
    assert pruned.inputs[0].schema.names == ("n",)


def test_joins_take_keys_and_what_their_condition_asks_for() -> None:
    right = named(window("Y"), x="a", y="b", z="c")
    assert reads(join(window("X"), right, "a = x", where="c < y"), "b") == [("a", "b", "c"), ("a", "b")]
    assert reads(having(window("X"), right, "a = x"), "b") == [("a", "b"), ("a",)]
    assert reads(lacking(window("X"), right, "a = x", where="y > 1"), "b") == [("a", "b"), ("a", "b")]
    assert reads(join(window("X"), right), "b") == [("b",), ("a",)]


def test_rows_of_a_relation_come_with_what_is_asked() -> None:
    relation = Relation("T", Schema.of(("k", "BIGINT"), ("v", "BIGINT"), ("w", "BIGINT")), ("k",))
    joined = RelationJoin(window("X"), RelationScan(relation, ("k", "v", "w")), (("a", "k"),), None)
    pruned = prune_columns(named(joined, b="b", w="w")).inputs[0]
    assert isinstance(pruned, RelationJoin)
    assert (pruned.left.schema.names, pruned.right.schema.names) == (("a", "b"), ("k", "w"))


def test_over_gives_the_tuple_even_if_nobody_asks_for_its_frame() -> None:
    sums = over(stream("X"), 10, "b", n="max(c)")
    assert reads(sums, "a") == [("a",)]
    assert reads(sums, "a", "n") == [("a", "b", "c")]
    yields = replace(sums, frame=Frame(Extent.TIME, 10, slide=5))
    assert reads(yields, "a") == [("a", "b", "c")]


def test_the_first_so_many_need_their_order() -> None:
    assert reads(top(window("X"), 3, "b"), "a") == [("a", "b")]


def test_what_compares_whole_tuples_needs_all_columns() -> None:
    whole = ("a", "b", "c")
    assert reads(distinct(window("X")), "a") == [whole]
    assert reads(Except(window("X"), named(window("Y"), a="a", b="b", c="c"), True), "a") == [whole, whole]
    assert reads(ToStream(window("X"), "Istream"), "a") == [whole]


def test_internal_windows_keep_the_instants_that_end_results() -> None:
    exposed = replace(window("X"), internal=True, exposed="until")
    appended = Append(
        project(exposed, ("a", "a", "BIGINT"), ("b", "b", "BIGINT"), ("until", "e", "BIGINT")), ("e",)
    )
    pruned = prune_columns(named(appended, a="a"))
    assert pruned.inputs[0].inputs[0].schema.names == ("a", "e")
