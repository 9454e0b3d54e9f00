"""Instants that somebody waits for: each once, the earliest first."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from windrow.delta import NEVER
from windrow.runtime.queued.instants import Instants

SOME = st.lists(st.integers(0, 40) | st.just(NEVER), max_size=8)


@given(st.lists(st.tuples(SOME, st.integers(0, 40)), max_size=30))
def test_each_comes_once_and_in_order(story: list[tuple[list[int], int]]) -> None:
    instants, known = Instants(), set[int]()
    for added, until in story:
        instants.add(np.array(added, np.int64))
        known |= set(added) - {NEVER}
        assert instants.next == min(known, default=NEVER)
        assert instants.all().tolist() == sorted(known)
        assert instants.take(until) == sorted(each for each in known if each <= until)
        known = {each for each in known if each > until}
