"""Compiled code does what the interpreter does, for definitions and steps by chance."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, event, given, reject, settings
from hypothesis import strategies as st

from tests.aggregates.compiler.bodies import bodies
from tests.aggregates.user_defined.playing import defined, played
from tests.aggregates.user_defined.playing import given as rows_of
from windrow.aggregates.compiler.machine import Compiled
from windrow.aggregates.compiler.module import compiled
from windrow.aggregates.user_defined.choose import machine_for, obstacle
from windrow.aggregates.user_defined.interpreter import Interpreter
from windrow.aggregates.user_defined.machine import Machine
from windrow.catalog import Aggregate
from windrow.errors import StatementError

VALUES = st.tuples(
    st.sampled_from([None, -3, 0, 2, 2**31 - 1]),
    st.sampled_from([None, -0.5, 0.0, 2.5, float("nan"), float("inf"), 1e300]),
    st.sampled_from([None, "", "a", "b"]),
)
Told = tuple[Any, ...] | str


@st.composite
def steps(draw: st.DrawFn) -> list[list[Told]]:
    """Calls of steps that can be: what expires has arrived before."""
    there = {0: 0, 1: 0}
    calls: list[list[Told]] = [[]]
    for _ in range(draw(st.integers(5, 25))):
        group = draw(st.integers(0, 1))
        kind = draw(st.sampled_from("+++--!0|"))
        if kind == "|":
            calls.append([])
        elif kind == "+":
            there[group] += 1
            calls[-1].append((f"+{group}", *draw(VALUES)))
        elif kind == "-" and there[group]:
            there[group] -= 1
            calls[-1].append(f"-{group}")
        elif kind == "!":
            calls[-1].append(f"!{group}")
        elif kind == "0" and draw(st.integers(0, 5)) == 0:
            there[group] = 0
            calls[-1].append(f"0{group}")
    return [call for call in calls if call]


def check(text: str, calls: list[list[Told]], *, swaps: bool) -> None:
    """Both machines do the same; with `swaps` they change places between calls, by what they save."""
    try:
        aggregate = defined(text)
    except StatementError:  # a constant by chance that has no value
        reject()
    event(obstacle(aggregate) or "compiled")
    assume(obstacle(aggregate) is None)
    one, other = machines(aggregate)
    for call in calls:
        came, expected = (played(machine, aggregate, *call) for machine in (one, other))
        assert repr(rows_of(came)) == repr(rows_of(expected)), text
        assert came.failed.tolist() == expected.failed.tolist(), text
        assert came.ended.tolist() == expected.ended.tolist(), text
        if swaps:
            states = one.save(), other.save()
            one, other = machines(aggregate)
            one.restore(states[1])
            other.restore(states[0])


def machines(aggregate: Aggregate) -> tuple[Machine, Machine]:
    return Compiled(aggregate, compiled(aggregate)), Interpreter(aggregate, machine_for)


@settings(deadline=None, max_examples=2, suppress_health_check=list(HealthCheck))
@given(bodies(), st.lists(steps(), min_size=3, max_size=3), st.booleans())
def test_compiled_and_interpreted_are_equal(text: str, plays: list[list[list[Told]]], swaps: bool) -> None:
    for calls in plays:
        check(text, calls, swaps=swaps)


@pytest.mark.slow
@pytest.mark.timeout(600)
@settings(deadline=None, max_examples=40, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
@given(bodies(), st.lists(steps(), min_size=3, max_size=3), st.booleans())
def test_compiled_and_interpreted_are_equal_in_many_cases(
    text: str, plays: list[list[list[Told]]], swaps: bool
) -> None:
    for calls in plays:
        check(text, calls, swaps=swaps)
