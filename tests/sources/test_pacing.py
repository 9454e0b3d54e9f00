from threading import Event, Thread

import pytest

from windrow.sources.pacing import EVER, TICK, Pacer, WallClock


def test_a_tuple_that_is_due_is_not_waited_for(clock):
    pacer = Pacer(1.0, clock)
    assert pacer.await_due(0, Event()) == 0
    assert clock.waits == []


def test_what_is_due_later_is_waited_for_until_then(clock):
    pacer = Pacer(1.0, clock)
    assert pacer.await_due(3_000_000, Event()) == 3_000_000
    assert clock.waits == [pytest.approx(3.0)]


def test_what_falls_due_within_a_tick_goes_together(clock):
    pacer = Pacer(1.0, clock)
    pacer.await_due(0, Event())
    assert pacer.await_due(10, Event()) == pytest.approx(TICK * 1e6, abs=1)


def test_who_is_behind_does_not_wait_at_all(clock):
    pacer = Pacer(1.0, clock)
    pacer.await_due(0, Event())
    clock.now += 60
    assert pacer.await_due(10, Event()) == 60_000_000
    assert clock.waits == []


def test_event_time_passes_as_many_times_faster_as_speed_says(clock):
    pacer = Pacer(10.0, clock)
    assert pacer.await_due(3_000_000, Event()) == 3_000_000
    assert clock.waits == [pytest.approx(0.3)]


def test_without_a_speed_all_is_due_at_once(clock):
    assert Pacer(None, clock).await_due(10**15, Event()) == EVER
    assert clock.waits == []


def test_a_pacer_that_begins_again_does_not_make_up_for_the_pause(clock):
    pacer = Pacer(1.0, clock, since=7_000_000)
    assert pacer.await_due(7_000_000, Event()) == 7_000_000
    assert pacer.await_due(8_000_000, Event()) == 8_000_000
    assert clock.waits == [pytest.approx(1.0)]


def test_a_wait_ends_when_the_source_is_to_stop():
    stopping = Event()
    pacer = Pacer(1.0, WallClock())
    thread = Thread(target=pacer.await_due, args=(10**12, stopping), daemon=True)
    thread.start()
    stopping.set()
    thread.join(timeout=10)
    assert not thread.is_alive()
