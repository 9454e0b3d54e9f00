"""Signals strike where they may, and nowhere else."""

from __future__ import annotations

import os
import signal

import pytest

from windrow.cli.signals import Terminated, heeded, uninterrupted


def send(number: int) -> None:
    os.kill(os.getpid(), number)


def test_a_signal_waits_until_it_is_heeded() -> None:
    done = []

    def work() -> None:
        with heeded() as heed:
            heed()
            send(signal.SIGINT)
            done.append("the step that it came in")
            heed()
            done.append("never")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["the step that it came in"]


def test_a_signal_that_nobody_asked_for_strikes_at_the_end() -> None:
    with pytest.raises(Terminated) as end, heeded():
        send(signal.SIGTERM)
    assert end.value.signal == signal.SIGTERM


def test_a_second_signal_strikes_at_once() -> None:
    done = []

    def work() -> None:
        with heeded():
            send(signal.SIGINT)
            done.append("first")
            send(signal.SIGINT)
            done.append("second")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["first"]


def test_what_fails_after_a_signal_is_its_doing() -> None:
    def work() -> None:
        with heeded():
            send(signal.SIGHUP)
            raise ConnectionError("gone too")

    with pytest.raises(Terminated):
        work()


def test_a_failure_without_a_signal_is_a_failure() -> None:
    with pytest.raises(ConnectionError), heeded():
        raise ConnectionError("gone")


def test_closing_takes_no_signal() -> None:
    before = signal.getsignal(signal.SIGINT)
    with uninterrupted():
        send(signal.SIGINT)
        send(signal.SIGTERM)
    assert signal.getsignal(signal.SIGINT) is before
