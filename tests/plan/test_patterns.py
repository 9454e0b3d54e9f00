"""Update patterns of plan edges, by the five rules of the dissertation (section 3.5.1)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlglot import exp

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
from tests.plan.samples import project, select
from windrow.delta import NEVER
from windrow.plan.emitting import Changes, Reevaluate, ToStream
from windrow.plan.multisets import Except, Intersect
from windrow.plan.nodes import Node, Union
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Append, Extent, OutputWindow, WindowSpec

MON, WKS, WK, STR = Pattern.MON, Pattern.WKS, Pattern.WK, Pattern.STR
OF_TIME = window("X")
OTHER = named(window("Y"), x="a", y="b", z="c")
OF_TUPLES = newest(stream("X"), 10)
JOINED = join(OF_TIME, OTHER, "a = x")


@pytest.mark.parametrize(
    ("node", "pattern"),
    [
        (stream("X"), MON),
        (OF_TIME, WKS),
        (last(stream("X"), 10, slide=5), WKS),
        (last(stream("X"), NEVER), MON),
        (OF_TUPLES, STR),
        (newest(stream("X"), 10, "a"), STR),
    ],
    ids=lambda value: value.label if isinstance(value, Node) else value.name,
)
def test_of_base_windows(node: Node, pattern: Pattern) -> None:
    """Of time WKS, of tuples STR, without end MON."""
    assert node.pattern is pattern


@pytest.mark.parametrize("input_", [stream("X"), OF_TIME, named(JOINED, a="a", b="b"), OF_TUPLES])
def test_rule_1_unary_weakest_steps_pass_the_pattern_on(input_: Node) -> None:
    assert select(input_, "a = 1").pattern is input_.pattern
    assert project(input_, ("a", "k", "BIGINT")).pattern is input_.pattern


@pytest.mark.parametrize(
    ("left", "right", "pattern"),
    [
        (stream("X"), stream("Y"), MON),
        (OF_TIME, window("Y"), WKS),
        (OF_TIME, window("Y", size=20), WK),
        (OF_TIME, stream("Y"), WK),
        (OF_TIME, named(JOINED, a="a", b="b", c="c"), WK),
        (OF_TIME, OF_TUPLES, STR),
    ],
)
def test_rule_2_a_union_is_as_hard_as_its_hardest_branch(left: Node, right: Node, pattern: Pattern) -> None:
    """WKS only where all results live equally long."""
    assert Union((left, right)).pattern is pattern


@pytest.mark.parametrize(
    ("left", "pattern"), [(OF_TIME, WK), (named(JOINED, a="a", b="b", c="c"), WK), (OF_TUPLES, STR)]
)
def test_rule_3_weak_steps_are_weak_unless_an_input_is_strict(left: Node, pattern: Pattern) -> None:
    assert join(left, OTHER, "a = x").pattern is pattern
    assert distinct(left).pattern is pattern
    assert Intersect(left, OTHER, distinct=True).pattern is pattern


@pytest.mark.parametrize(
    "node",
    [
        lacking(OF_TIME, OTHER, "a = x"),
        having(OF_TIME, OTHER, "a = x"),
        join(OF_TIME, OTHER, "a = x", kind="left"),
        join(OF_TIME, OTHER, "a = x", kind="full"),
        grouped(OF_TIME, "a", n="count(*)"),
        Except(OF_TIME, OTHER, distinct=False),
        top(OF_TIME, 3, "a"),
        Changes(OF_TIME),
        Reevaluate((OF_TIME,), exp.select("*").from_("__0"), OF_TIME.schema),
    ],
    ids=lambda node: node.label,
)
def test_rule_4_strict_steps_are_strict(node: Node) -> None:
    assert node.pattern is STR


def test_who_finds_a_partner_that_stays_has_one_for_ever() -> None:
    assert having(stream("X"), named(stream("Y"), x="a"), "a = x").pattern is MON


def test_results_of_internal_windows_never_end() -> None:
    internal = replace(OF_TIME, internal=True)
    assert Append(join(internal, OTHER, "a = x")).pattern is MON
    exposed = replace(internal, exposed="until")
    assert Append(join(exposed, OTHER, "a = x"), ("until",)).pattern is WK


def test_what_is_made_a_stream_never_ends_until_a_window_is_put_on_it() -> None:
    istream = ToStream(grouped(OF_TIME, "a", n="count(*)"), "Istream")
    assert istream.pattern is MON
    assert OutputWindow(istream, WindowSpec(Extent.TIME, 10)).pattern is WKS
    assert OutputWindow(istream, WindowSpec(Extent.COUNT, 10)).pattern is STR
    assert over(stream("X"), 10, n="count(*)").pattern is MON


def test_only_on_weakest_edges_all_results_live_equally_long() -> None:
    assert select(OF_TIME, "a = 1").lifetime == 10
    assert Union((OF_TIME, window("Y"))).lifetime == 10
    assert (JOINED.lifetime, OF_TUPLES.lifetime, stream("X").lifetime) == (None, None, None)
