"""Joins with relations: their update patterns, and the plans that they refuse."""

from __future__ import annotations

import pytest

from tests.plan.samples import scan, select
from windrow.catalog import Relation
from windrow.plan.grouping import Distinct
from windrow.plan.joins import RelationJoin, RelationScan
from windrow.plan.nodes import Node
from windrow.plan.patterns import Pattern
from windrow.plan.stages import compile_plan
from windrow.plan.windows import Extent, Window, WindowSpec
from windrow.schema import Schema

CITIES = Schema.of(("city", "BIGINT"), ("name", "VARCHAR"))
MINUTE = 60_000_000


def cities(*, retroactive: bool = True) -> RelationScan:
    return RelationScan(Relation("Cities", CITIES, ("city",), retroactive), CITIES.names)


def joined(left: Node, *, retroactive: bool = True) -> RelationJoin:
    relation = cities(retroactive=retroactive)
    return RelationJoin(left, relation, (("a", "city"),), None, retroactive=retroactive)


def window(extent: Extent = Extent.TIME) -> Window:
    return Window(scan("S"), WindowSpec(extent, MINUTE))


def test_updates_of_a_table_reach_back_so_its_joins_are_strict() -> None:
    assert joined(scan("S")).pattern is Pattern.STR
    assert joined(window()).pattern is Pattern.STR
    assert joined(window(Extent.COUNT)).pattern is Pattern.STR


def test_a_join_with_an_nrr_lives_as_its_input_does() -> None:
    stream, timed = joined(scan("S"), retroactive=False), joined(window(), retroactive=False)
    assert (stream.pattern, stream.lifetime) == (Pattern.MON, None)
    assert (timed.pattern, timed.lifetime) == (Pattern.WKS, MINUTE)


def test_an_nrr_by_itself_changes_as_a_table_does() -> None:
    assert cities(retroactive=False).pattern is Pattern.STR


def test_an_nrr_join_takes_no_negative_tuples() -> None:
    with pytest.raises(ValueError, match="cannot take negative tuples"):
        joined(window(Extent.COUNT), retroactive=False)


def test_the_relation_is_on_the_right() -> None:
    one = Schema.of(("x", "BIGINT"))
    distinct = Distinct(RelationScan(Relation("X", one), one.names))
    with pytest.raises(ValueError, match="the relation on its right"):
        RelationJoin(cities(), scan("S"), (("city", "a"),), None)
    with pytest.raises(ValueError, match="the relation on its right"):
        RelationJoin(scan("S"), distinct, (("a", "x"),), None)


def test_a_join_is_retroactive_as_its_relation_is() -> None:
    with pytest.raises(ValueError, match="retroactive as its relation is"):
        RelationJoin(scan("S"), cities(), (("a", "city"),), None, retroactive=False)


def test_both_sides_of_a_join_with_keys_are_spread_by_them() -> None:
    compiled = compile_plan(
        RelationJoin(scan("S"), select(cities(), "name <> 'x'"), (("a", "city"),), None)
    )
    first, second = compiled.stages
    assert [str(output.to) for output in first.outputs] == ["hash(a)", "hash(city)"]
    assert second.outputs[0].root.pattern is Pattern.STR
