"""Figures: delays weighted by tuples, counts by batch."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from windrow.delta import BEGINNING, Delta
from windrow.plan.effort import SAMPLE, Tally
from windrow.plan.effort import Delays as AnswerDelays
from windrow.runtime.execution import Effort
from windrow.runtime.metrics import (
    WINDOW,
    Delays,
    Lag,
    Meter,
    Metrics,
    QueryMeter,
    percentile,
    seconds_by_phase,
)


def delays(*pairs: tuple[float, int]) -> Delays:
    seconds, counts = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(seconds, float), np.array(counts, np.int64)


@pytest.mark.parametrize(
    ("told", "share", "expected"),
    [
        ([], 0.5, None),
        ([delays((2.0, 1))], 0.5, 2.0),
        ([delays((1.0, 99), (9.0, 1))], 0.5, 1.0),
        ([delays((1.0, 99), (9.0, 1))], 0.99, 1.0),
        ([delays((1.0, 98), (9.0, 2))], 0.99, 9.0),
        ([delays((3.0, 1)), delays((1.0, 1)), delays((2.0, 1))], 0.5, 2.0),
    ],
)
def test_a_percentile_is_the_delay_that_a_share_of_tuples_did_not_exceed(
    told: list[Delays], share: float, expected: float | None
) -> None:
    assert percentile(told, share) == expected


def test_nothing_has_happened_yet() -> None:
    told = Meter().metrics(Lag(3, 0.5), 7, ())
    assert told == Metrics(lag=3, lag_seconds=0.5, state_bytes=7)


def test_batches_add_up() -> None:
    meter = Meter()
    meter.batch_done(10, 4, delays((0.5, 10)), {"run": 1.0})
    meter.batch_done(0, 1, delays(), {"run": 2.0})
    told = meter.metrics(Lag(), 0, ())
    assert (told.tuples_in, told.tuples_out, told.batches) == (10, 5, 2)
    assert (told.delay_p50, told.delay_p99, told.last_batch) == (0.5, 0.5, {"run": 2.0})


def test_delays_are_of_the_recent_past() -> None:
    meter = Meter()
    meter.batch_done(1, 1, delays((100.0, 1000)), {})
    for _ in range(WINDOW):
        meter.batch_done(1, 1, delays((1.0, 1)), {})
    assert meter.metrics(Lag(), 0, ()).delay_p99 == 1.0


def test_delays_can_be_told_anew() -> None:
    meter, query = Meter(), QueryMeter()
    for seconds in (60, 1):
        meter.forget_delays()
        query.forget_delays()
        assert (meter.metrics(Lag(), 0, ()).delay_p99, query.delay()) == (None, None)
        meter.batch_done(1, 1, delays((seconds, 5)), {})
        query.add_delays(AnswerDelays.of(np.array([seconds * 1_000_000])))
    told = query.delay()
    assert told is not None
    assert (meter.metrics(Lag(), 0, ()).delay_p99, told["max"]) == (1.0, 1.0)
    assert meter.metrics(Lag(), 0, ()).tuples_in == 2


def test_of_many_delays_a_sample_stands_for_all() -> None:
    delays = AnswerDelays.of(np.arange(10_000, 0, -1))
    assert (delays.count, delays.total, delays.most) == (10_000, 50_005_000, 10_000)
    assert (len(delays.sample), min(delays.sample), max(delays.sample)) == (SAMPLE, 1, 10_000)


def test_what_steps_did_adds_up_and_what_they_keep_does_not() -> None:
    meter = QueryMeter()
    for place, kept in ((0, 5), (1, 7), (0, 2)):
        meter.add(1, place, {"10.Join": Tally(3, 1, rows=kept), "9.Union": Tally(probes=4)})
    union, join = meter.steps()
    assert (union["step"], union["probes"], join["step"], join["probes"]) == (
        "1.9.Union",
        12,
        "1.10.Join",
        None,
    )
    assert (join["positive"], join["negative"], join["rows"]) == (9, 3, 9)


def test_a_query_that_gave_nothing_has_no_delay() -> None:
    meter = QueryMeter()
    assert meter.delay() is None
    for delays in ((1_000_000, 3_000_000), (), (2_000_000,)):
        meter.add_delays(AnswerDelays.of(np.array(delays, np.int64)))
    assert meter.delay() == {"mean": 2.0, "p50": 2.0, "p99": 3.0, "max": 3.0}


def test_nobody_waited_for_rows_that_were_always_there() -> None:
    delta = Delta(7, pa.table({"a": [1, 2]}), np.array([BEGINNING, 4]))
    assert AnswerDelays.until(delta) == AnswerDelays(1, 3, 3, (3,))


def test_changes_of_one_clock_add_up_however_long_their_instants_are() -> None:
    clock, count = 2**62, 10_000
    delta = Delta(clock, pa.table({"a": np.zeros(count)}), clock - np.arange(count, 0, -1))
    assert AnswerDelays.until(delta) == AnswerDelays.of(np.arange(count, 0, -1))


@pytest.mark.parametrize(
    ("side_by_side", "operators", "join"), [(False, 6.0, 5.0), (True, 4.0, 3.0)], ids=["in turn", "at once"]
)
def test_of_places_side_by_side_the_slowest_counts_and_the_exchange_is_the_rest(
    side_by_side: bool, operators: float, join: float
) -> None:
    efforts = [
        Effort("q", 0, 0, {"0.Calculate": Tally(seconds=1.0)}, {"read": 0.5, "operators": 1.0}),
        Effort("q", 1, 0, {"10.Join": Tally(seconds=2.0)}, {"operators": 2.0, "exchange": 0.5}),
        Effort("q", 1, 1, {"10.Join": Tally(seconds=3.0), "9.Changes": Tally()}, {"operators": 3.0}),
    ]
    told = seconds_by_phase(efforts, 9.0, side_by_side=side_by_side)
    assert list(told)[-3:] == ["0.0.Calculate", "1.9.Changes", "1.10.Join"]
    assert (told["read"], told["operators"], told["1.10.Join"]) == (0.5, operators, join)
    assert told["exchange"] == 9.0 - operators - 0.5
    assert (told["route"], told["state"], told["sink"]) == (0.0, 0.0, 0.0)
