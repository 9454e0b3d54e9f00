"""Aggregates in Python, on steps by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.aggregates.user_defined.playing import defined, given, in_pieces, played
from windrow.aggregates.user_defined.choose import machine_for

SAMPLES = "LANGUAGE PYTHON AS 'tests.aggregates.user_defined.samples"
PAIRS = defined(f"CREATE AGGREGATE pairs(x int) : int {SAMPLES}:Pairs'")
TOTAL = defined(f"CREATE WINDOW AGGREGATE total(x int) : (n int, s varchar) {SAMPLES}:Total'")


def test_methods_return_none_one_or_several() -> None:
    steps = [("+0", 1), ("+0", 2), ("+1", 7), ("+0", 3)]
    expected = [(1, 3), (3, 4), (3, 5)]
    assert given(played(machine_for(PAIRS), PAIRS, *steps)) == expected
    assert in_pieces(lambda: machine_for(PAIRS), PAIRS, *steps) == expected


def test_what_leaves_is_undone() -> None:
    steps: list[tuple[Any, ...] | str] = [
        ("+0", 1),
        ("+0", 2),
        "!0",
        "-0",
        "!0",
        "-0",
        "!0",
        ("+0", 5),
        "!0",
    ]
    expected = [(2, (3, "3")), (4, (2, "2")), (8, (5, "5"))]
    assert given(played(machine_for(TOTAL), TOTAL, *steps)) == expected
    assert in_pieces(lambda: machine_for(TOTAL), TOTAL, *steps) == expected


def test_one_that_never_ends_is_cut_off() -> None:
    endless = replace(defined(f"CREATE AGGREGATE endless(x int) : int {SAMPLES}:Endless'"), patience=20_000)
    returned = played(machine_for(endless), endless, ("+0", 1), ("+0", 2), "!0", ("+0", 3), "!0")
    assert given(returned) == [(2, 2)]
    assert returned.reasons == ("endless is stopped: iterate(3) did not come to an end",)
    assert returned.is_halted


def test_one_that_raises_is_stopped_and_says_why() -> None:
    machine = machine_for(PAIRS)
    returned = played(machine, PAIRS, ("+0", 1), ("+0", 2), ("+0", 13), ("+0", 4))
    assert given(returned) == [(1, 3)]
    assert returned.failed.tolist() == [2]
    assert returned.reasons == ("pairs is stopped: iterate(13) raised ValueError: 13 brings bad luck",)
    again = machine_for(PAIRS)
    again.restore(machine.save())
    for each in (machine, again):
        assert given(played(each, PAIRS, ("+0", 5))) == []
