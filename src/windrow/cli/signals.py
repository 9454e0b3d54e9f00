"""Signals that end a run become exceptions, so that everything is closed on the way out."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Terminated(KeyboardInterrupt):
    """Asked to end by something else than the keyboard: stops what Ctrl-C stops."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = number


def _terminate(number: int, _frame: FrameType | None) -> None:
    _end(number)


def listen() -> None:
    """Let SIGTERM and SIGHUP end the program in order."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)


def _end(number: int) -> NoReturn:
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)


@contextmanager
def heeded() -> Iterator[Callable[[], None]]:
    """Let signals strike only where the block asks for them, by calling what it is given.

    Elsewhere they would cut a conversation with the JVM in two, and the next question would get the
    answer to the one before. A second signal strikes at once, for a block that never asks.
    """
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        if len(came) > 1:
            _end(number)

    def heed() -> None:
        if came:
            _end(came[0])

    before = {number: signal.signal(number, note) for number in _ENDINGS}
    try:
        yield heed
    except Exception:
        heed()  # what failed may have been told to end as we were
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    heed()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Take no signal while things are being closed: an impatient Ctrl-C leaves nothing half closed."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _ENDINGS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
