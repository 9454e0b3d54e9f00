"""What is there after the first task of its kind is no garbage; what was there before may be."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from windrow.runtime.spark.settling import _settled, settle


class Plan:
    """Refers to itself, as trees do whose leaves know their parents."""

    def __init__(self) -> None:
        self.root = self


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.unfreeze()
    _settled.clear()


def test_only_what_is_new_is_looked_through() -> None:
    settle(1, 0)
    settled = gc.get_freeze_count()
    assert settled > 10_000
    kept = [Plan() for _ in range(1000)]
    settle(1, 0)
    assert gc.get_freeze_count() <= settled
    assert len(kept) == 1000


def test_an_old_plan_is_let_go_of_when_another_program_comes() -> None:
    plan = Plan()
    gone = weakref.ref(plan)
    settle(1, 0)
    del plan
    gc.collect()
    assert gone() is not None
    settle(2, 0)
    assert gone() is None
