from __future__ import annotations

from tests.plan.building import last, newest, stream
from windrow.plan.expiration import Expire
from windrow.plan.nodes import Union
from windrow.plan.rules.tell_ends import tell_ends

TIMED, COUNTED, ENDLESS = last(stream("X"), 10), newest(stream("Y"), 3), stream("Z")


def test_beside_a_strict_branch_the_ends_of_windows_are_told() -> None:
    assert tell_ends(Union((TIMED, COUNTED, ENDLESS))) == Union((Expire(TIMED), COUNTED, ENDLESS))


def test_ends_that_are_foreseen_everywhere_need_no_telling() -> None:
    plan = Union((TIMED, last(stream("Y"), 20), ENDLESS))
    assert tell_ends(plan) == plan


def test_it_is_enough_to_tell_them_once() -> None:
    once = tell_ends(Union((TIMED, COUNTED)))
    assert tell_ends(once) == once
