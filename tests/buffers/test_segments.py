from __future__ import annotations

from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.buffers.segments import Segments


def told(segments: Segments) -> dict[int, tuple[int, ...]]:
    """What a reader of the saved parts finds."""
    codes, rows = Segments(2).restore(segments.save())
    assert (np.diff(codes) > 0).all()
    return dict(zip(codes.tolist(), map(tuple, rows.tolist()), strict=True))


@settings(deadline=None, max_examples=50)
@given(st.randoms(use_true_random=False))
def test_the_row_that_was_added_last_is_found_again(chance: Random) -> None:
    segments, wanted = Segments(2), dict[int, tuple[int, ...]]()
    for _ in range(12):
        codes = sorted(chance.sample(range(30), chance.randint(0, 9)))
        rows = [(chance.choice([0, 0, 1, -(2**63)]), chance.choice([0, 7])) for _ in codes]
        segments.add(np.array(codes, np.int64), np.array(rows, np.int64).reshape(-1, 2))
        wanted |= dict(zip(codes, rows, strict=True))
        wanted = {code: row for code, row in wanted.items() if any(row)}
        assert told(segments) == wanted
        if chance.random() < 0.3:
            state, segments = segments.save(), Segments(2)
            segments.restore(state)


def test_what_has_not_changed_is_not_saved_anew() -> None:
    segments = Segments(1)
    segments.add(np.arange(10_000), np.ones((10_000, 1), np.int64))
    (first,) = segments.save().values()
    segments.add(np.arange(10), np.full((10, 1), 2))
    same, small = segments.save().values()
    assert same is first
    assert len(small) == 10


def test_what_is_gone_takes_no_room() -> None:
    segments = Segments(1)
    for begin in range(0, 100_000, 1000):
        codes = np.arange(begin, begin + 1000)
        segments.add(codes, np.ones((1000, 1), np.int64))
        segments.add(codes, np.zeros((1000, 1), np.int64))
    assert sum(map(len, segments.save().values())) < 3000
