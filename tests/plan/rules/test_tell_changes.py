from __future__ import annotations

from dataclasses import replace

from tests.plan.building import distinct, grouped, join, named, newest, stream, window
from windrow.plan.emitting import Changes, ToStream
from windrow.plan.expiration import Expiration, expiring
from windrow.plan.grouping import Distinct
from windrow.plan.multisets import Except, Intersect
from windrow.plan.patterns import Pattern
from windrow.plan.rules.optimizer import optimize
from windrow.plan.rules.tell_changes import tell_changes


def test_an_answer_that_shrinks_tells_its_changes() -> None:
    told = tell_changes(window("X"))
    assert told == Changes(window("X"))
    assert told.pattern is Pattern.STR


def test_an_answer_of_negative_tuples_is_netted_too() -> None:
    assert tell_changes(grouped(window("X"), "a", n="count(*)")).label == "Changes"


def test_what_knows_which_ends_change_nothing_tells_them_itself() -> None:
    told = tell_changes(distinct(window("X")))
    assert told == Distinct(window("X"), tells_ends=True)
    assert told.pattern is Pattern.STR
    sides = window("X"), window("Y")
    assert tell_changes(Intersect(*sides, False)) == Intersect(*sides, False, tells_ends=True)
    assert tell_changes(Except(*sides, True)) == Except(*sides, True)


def test_a_join_by_keys_alone_tells_its_ends_itself() -> None:
    sides = window("X"), named(window("Y"), x="a")
    told = tell_changes(join(*sides, "a = x"))
    assert told == Changes(replace(join(*sides, "a = x"), tells_ends=True))
    for other in (
        join(*sides),
        join(*sides, "a = x", where="b < x"),
        join(*sides, "a = x", kind="left"),
        join(newest(stream("X"), 3), sides[1], "a = x"),
    ):
        assert tell_changes(other) == Changes(other)
    assert expiring(told, Expiration.DIRECT).inputs[0].pattern is Pattern.WK


def test_what_only_adds_stays_as_it_is() -> None:
    assert tell_changes(stream("X")) == stream("X")
    istream = ToStream(distinct(window("X")), "Istream")
    assert tell_changes(istream) == istream


def test_once_is_enough() -> None:
    assert optimize(optimize(window("X"))) == Changes(window("X"))
