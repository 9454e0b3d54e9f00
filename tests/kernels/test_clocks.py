"""A plain loop is the reference: it says the definition, tuple by tuple."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.delta import BEGINNING, NEVER
from windrow.kernels.clocks import late_mask

INSTANTS = st.one_of(st.integers(-50, 50), st.integers(BEGINNING, NEVER))


def reference(ts: list[int], floor: int, slack: int) -> tuple[list[bool], int]:
    late = []
    for instant in ts:
        late.append(instant < floor)
        if instant >= floor:
            floor = max(floor, instant - slack)
    return late, floor


@settings(deadline=None)
@given(st.lists(INSTANTS, max_size=40), INSTANTS, st.one_of(st.integers(0, 20), st.integers(0, NEVER)))
def test_late_mask_agrees_with_the_definition(ts: list[int], floor: int, slack: int) -> None:
    late, after = late_mask(np.array(ts, np.int64), floor, slack)
    assert (late.tolist(), after) == reference(ts, floor, slack)


def test_a_late_tuple_leaves_the_floor_alone() -> None:
    # floor:             0   4   4   8   8
    late, floor = late_mask(np.array([6, 3, 10, 4, 8]), 0, 2)
    assert late.tolist() == [False, True, False, True, False]
    assert floor == 8


@pytest.mark.parametrize(
    "ts", [np.arange(10)[::2], np.arange(5, dtype=np.int32) * 2, np.array([], np.int64)], ids=str
)
def test_any_array_of_instants_will_do(ts: np.ndarray) -> None:
    late, floor = late_mask(ts, 0, 0)
    assert not late.any()
    assert floor == (8 if len(ts) else 0)


def test_an_array_that_cannot_be_written_will_do() -> None:
    ts = np.array([2, 1])
    ts.setflags(write=False)
    assert late_mask(ts, 0, 0)[0].tolist() == [False, True]
