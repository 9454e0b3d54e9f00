"""A sorted list is the reference, for each way of finding what has ended."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.buffers.calendar import FEWEST_DAYS, CalendarQueue
from windrow.buffers.expiries import Expiries
from windrow.buffers.fifo import Fifo
from windrow.buffers.scan import Scan
from windrow.delta import NEVER

KINDS = [Fifo, CalendarQueue, Scan]
STEPS = st.lists(
    st.tuples(
        st.lists(st.one_of(st.integers(1, 30), st.sampled_from([1000, 10**6, NEVER])), max_size=40),
        st.one_of(st.integers(0, 20), st.sampled_from([500, 10**7])),
    ),
    max_size=12,
)
"""What comes with which lifetimes, and how far the clock then moves."""


def rising(pairs: list[tuple[int, int]], last: int) -> list[tuple[int, int]]:
    """The same numbers, with ends that never fall, as on a WKS edge."""
    ends = np.maximum.accumulate([last, *(end for _, end in pairs)])[1:].tolist()
    return [(number, end) for (number, _), end in zip(pairs, ends, strict=True)]


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=60)
@given(steps=STEPS, start=st.sampled_from([0, -50, 10**15]))
def test_what_has_ended_comes_in_the_order_of_its_end(
    kind: Callable[[], Expiries], steps: list[tuple[list[int], int]], start: int
) -> None:
    expiries, live, clock, next_, last = kind(), [], start, 0, -(2**63)
    for lifetimes, step in steps:
        come = [(next_ + i, min(NEVER, clock + life)) for i, life in enumerate(lifetimes)]
        come = rising(come, last) if kind is Fifo else come
        last, next_ = max([last, *(end for _, end in come)]), next_ + len(come)
        expiries.insert(
            *(np.array(column, np.int64) for column in (list(zip(*come, strict=True)) or [(), ()]))
        )
        clock += step
        live += [pair for pair in come if pair[1] < NEVER]
        wanted = sorted((pair for pair in live if pair[1] <= clock), key=lambda pair: (pair[1], pair[0]))
        numbers, ends = expiries.expire_until(clock)
        assert list(zip(numbers.tolist(), ends.tolist(), strict=True)) == wanted
        live = [pair for pair in live if pair[1] > clock]
        assert len(expiries) == len(live)


def years(lifetimes: np.ndarray, batch: int, step: int) -> tuple[CalendarQueue, int]:
    """A queue in which so many come at each step of the clock, and the most that it held."""
    queue, most = CalendarQueue(), 0
    for place in range(0, len(lifetimes), batch):
        numbers = np.arange(place, min(place + batch, len(lifetimes)))
        clock = place // batch * step
        queue.insert(numbers, clock + lifetimes[numbers])
        queue.expire_until(clock)
        most = max(most, len(queue))
    return queue, most


CHANCE = np.random.default_rng(7)
COUNT = 40_000
LIFETIMES = {
    "uniform": CHANCE.integers(1, 10**6, COUNT),
    "all the same": np.full(COUNT, 10**6),
    "few instants": CHANCE.integers(1, 20, COUNT) * 10**5,
    "skewed": (10 ** CHANCE.uniform(0, 7, COUNT)).astype(np.int64) + 1,
    "one in a hundred lasts": np.where(
        CHANCE.random(COUNT) < 0.01, 10**12, CHANCE.integers(1, 10**5, COUNT)
    ),
}


@pytest.mark.parametrize("lifetimes", LIFETIMES)
@pytest.mark.parametrize(("batch", "step"), [(1000, 50_000), (10, 500), (100, 3)])
def test_a_calendar_queue_looks_at_little_however_ends_lie(lifetimes: str, batch: int, step: int) -> None:
    queue, _ = years(LIFETIMES[lifetimes], batch, step)
    assert queue.probes < 30 * COUNT


def test_days_grow_with_the_entries_and_go_with_them() -> None:
    queue, most = years(LIFETIMES["uniform"], 1000, 50_000)
    assert most / 8 < queue.days < 2 * most
    queue.expire_until(NEVER)
    assert queue.days == FEWEST_DAYS
    assert queue.nbytes < 4096


def test_days_are_chosen_anew_when_they_suit_no_more() -> None:
    queue = CalendarQueue()
    queue.insert(np.arange(1000), np.arange(1000) * 10**9)
    for clock in range(0, 10**12, 10**9):
        queue.insert(np.array([clock // 10**9 + 1000]), np.array([clock + 5000]))
        queue.insert(np.array([clock // 10**9 + 9000]), np.array([clock + 10**12]))
        queue.expire_until(clock)
    before = queue.probes
    for clock in range(10**12, 10**12 + 10**6, 10):
        queue.insert(np.array([clock]), np.array([clock + 100]))
        queue.expire_until(clock)
    assert queue.probes - before < 30 * 10**5


def test_a_calendar_reaches_from_the_first_instant_to_the_last() -> None:
    queue = CalendarQueue()
    queue.insert(np.array([1, 2, 3]), np.array([-(2**63), 0, NEVER - 1]))
    assert queue.expire_until(-(2**63))[0].tolist() == [1]
    assert queue.expire_until(NEVER)[0].tolist() == [2, 3]
