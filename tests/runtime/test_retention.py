"""What a stream log keeps: all that is new to a query, and the windows up to it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.log.conftest import EXTERNAL, LATENT, arrivals, items, times, whole
from windrow.delta import BEGINNING
from windrow.log.stream_log import MemoryLog
from windrow.plan.history import History
from windrow.runtime.retention import first_kept

Entries = list[list[int]]
"""The timestamps of the tuples of each entry."""


def log_of(entries: Entries) -> MemoryLog:
    log = MemoryLog()
    for instants in entries:
        rows = whole(arrivals(*((1, ts) for ts in instants))) if instants else None
        span = (min(instants), max(instants)) if instants else ()
        log.append((rows, None, None), times(0, *span))
    return log


def kept(entries: Entries, clock: int, history: History) -> int:
    return first_kept(EXTERNAL, log_of(entries).index(), clock, history)


@pytest.mark.parametrize(
    ("history", "first"),
    [
        (History(), 3),
        (History(time=10), 2),
        (History(time=11), 1),
        (History(tuples=1), 2),
        (History(tuples=2), 1),
        (History(time=10, tuples=3), 0),
        (History(tuples=4), 0),
    ],
)
def test_entries_before_the_windows_go(history: History, first: int) -> None:
    """Clock 30.   position  0   1   2   3
    newest tuple  10  20  30  40
    """
    assert kept([[10], [20], [30], [40]], 30, history) == first


def test_of_a_log_without_tuples_nothing_is_needed() -> None:
    assert kept([], 30, History(5, 5)) == 0
    assert kept([[], []], BEGINNING, History(5, 5)) == 2


def test_latent_streams_go_by_their_stamps() -> None:
    log = MemoryLog()
    for stamp in (10, 20, 30):
        log.append((whole(items(1, 2)), None, None), times(0, stamp=stamp))
    index = log.index()
    assert first_kept(LATENT, index, 31, History(time=10)) == 2
    assert first_kept(LATENT, index, 31, History(time=11)) == 1
    assert first_kept(LATENT, index, 31, History(tuples=3)) == 1


INSTANTS = st.lists(st.lists(st.integers(0, 20), max_size=3), max_size=8)


@settings(deadline=None, max_examples=200)
@given(INSTANTS, st.integers(-1, 21), st.integers(0, 12), st.integers(0, 6))
def test_no_tuple_that_matters_goes(entries: Entries, clock: int, time: int, tuples: int) -> None:
    first = kept(entries, clock, History(time, tuples))
    placed = [(ts, place) for place, instants in enumerate(entries) for ts in instants]
    past = sorted(ts for ts, _ in placed if ts <= clock)
    oldest = past[-tuples] if 0 < tuples <= len(past) else (min(past, default=0) if tuples else clock + 1)
    for ts, place in placed:
        if ts > clock - time or (ts >= oldest and tuples):
            assert place >= first
