"""Signals that end a run become exceptions, so that everything is closed on the way out."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(KeyboardInterrupt):
    """Asked to end by something else than the keyboard: stops what Ctrl-C stops."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.signal = number


def _terminate(number: int, _frame: FrameType | None) -> None:
    raise Terminated(number)


def listen() -> None:
    """Let SIGTERM and SIGHUP end the program in order."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminate)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Take no signal while things are being closed: an impatient Ctrl-C leaves nothing half closed."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
