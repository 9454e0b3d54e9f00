"""Classes in Python: what is compiled does what Python does, and what is not says why."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.aggregates.user_defined.playing import defined, given, in_pieces, played
from windrow.aggregates.compiler.machine import Compiled
from windrow.aggregates.compiler.module import compiled
from windrow.aggregates.user_defined.choose import machine_for, obstacle
from windrow.aggregates.user_defined.guarded import Guarded
from windrow.aggregates.user_defined.in_python import InPython
from windrow.catalog import Aggregate
from windrow.errors import CheckpointError

Steps = list[tuple[Any, ...] | str]


def of_class(
    name: str, argument: str = "double", result: str = "double", *, window: bool = False
) -> Aggregate:
    python = f"LANGUAGE PYTHON AS 'tests.aggregates.user_defined.samples:{name}'"
    return defined(f"CREATE {'WINDOW' * window} AGGREGATE f(x {argument}) : {result} {python}")


MOVING, DECAYING, RATIO = (
    of_class("Moving", window=True),
    of_class("Decaying"),
    of_class("Ratio", "int", "int"),
)


def steps(chance: Random, count: int, window: bool) -> Steps:
    there, told = [0, 0], Steps()
    for _ in range(count):
        group, kind = chance.randrange(2), chance.choice("+++--!!0")
        if kind == "+":
            there[group] += 1
            told.append(
                (f"+{group}", chance.choice([None, -1.5, 0.25, 7.0]) if window else chance.uniform(-9, 9))
            )
        elif kind == "-" and window and there[group]:
            there[group] -= 1
            told.append(f"-{group}")
        elif kind == "!" or (kind == "0" and chance.random() < 0.2):
            there[group] = there[group] if kind == "!" else 0
            told.append(f"{kind}{group}")
    return told


@pytest.mark.parametrize("aggregate", [MOVING, DECAYING], ids=["window", "base"])
def test_compiled_methods_are_the_methods(aggregate: Aggregate) -> None:
    assert obstacle(aggregate) is None
    told = steps(Random(5), 120, aggregate.window)
    plain = given(played(InPython(aggregate), aggregate, *told))
    module = compiled(aggregate)
    assert given(played(Compiled(aggregate, module), aggregate, *told)) == plain
    assert in_pieces(lambda: Compiled(aggregate, module), aggregate, *told) == plain


RAISING: list[tuple[Aggregate, Steps, list[tuple[int, Any]]]] = [
    (DECAYING, [("+0", 1.0), ("+0", 2.0), ("+0", -1001.0), ("+0", 4.0)], [(0, 1.0), (1, 1.1)]),
    (RATIO, [("+0", 6), ("+0", 2), "!0", ("+1", 6), ("+1", 0), "!1"], [(2, 3)]),
    (RATIO, [("+0", 6), ("+0", None)], []),
    (MOVING, [("+0", 1.0), "!0"], [(1, 1.0)]),
]


@pytest.mark.parametrize(("aggregate", "told", "expected"), RAISING)
def test_what_methods_raise_is_told_alike(aggregate: Aggregate, told: Steps, expected: Any) -> None:
    plain = played(Guarded(aggregate, InPython(aggregate)), aggregate, *told)
    fast = played(machine_for(aggregate), aggregate, *told)
    assert given(fast) == given(plain) == expected
    assert fast.failed.tolist() == plain.failed.tolist()
    fast_reasons, reasons = ([each.split(": ")[:2] for each in of.reasons] for of in (fast, plain))
    assert fast_reasons == reasons


@pytest.mark.parametrize(
    ("name", "argument", "result", "reason"),
    [
        ("Pairs", "int", "int", "the attribute seen, of type list"),
        ("Total", "int", "varchar", "a result, which is of numba's type "),
        ("Largest", "double", "double", "the attribute values, of type list"),
        ("Endless", "int", "int", "the attribute x"),
        ("Moving", "varchar", "double", "the type VARCHAR"),
        ("Moving", "double", "int", "float64 returned as INTEGER"),
        ("Later", "int", "int", "a loop that may not end"),
    ],
)
def test_what_is_not_compiled_says_why(name: str, argument: str, result: str, reason: str) -> None:
    why = obstacle(of_class(name, argument, result))
    assert why is not None
    assert why.startswith(reason), why


def test_a_class_that_has_changed_cannot_go_on() -> None:
    machine = machine_for(MOVING)
    played(machine, MOVING, ("+0", 1.0))
    other = Guarded(MOVING, InPython(MOVING))
    with pytest.raises(
        CheckpointError, match="f remembers total DOUBLE, number BIGINT, and now keeps instances"
    ):
        other.restore(machine.save())
