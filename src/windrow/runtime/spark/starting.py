"""Starting Spark without being disturbed.

A start that Ctrl-C breaks off leaves a JVM that waits for ever, for PySpark then removes the folder
that the two were to meet in. And once started, PySpark answers Ctrl-C by cancelling all jobs, which
fails the batch that runs; so whoever handled signals before goes on handling them.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put the signals that end a program off until the block is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, note) for number in ENDINGS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])
