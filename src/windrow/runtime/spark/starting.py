"""Starting Spark without being disturbed.

A start that Ctrl-C breaks off leaves a JVM that waits for ever, for PySpark then removes the folder
that the two were to meet in. And once started, PySpark answers Ctrl-C by cancelling all jobs, which
fails the batch that runs; so whoever handled signals before goes on handling them.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO, Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway

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


def start_jvm(conf: SparkConf, log: Path) -> None:
    """Start the JVM, if there is none, where no signal to our terminal or process group reaches it.

    It is ours to end, after what runs in it; should we die, it notices and ends by itself. What it
    would write on the terminal goes to the log.
    """
    if SparkContext._gateway is None:
        with log.open("ab") as words:
            SparkContext._ensure_initialized(gateway=_gateway(conf, words))


def complaint(log: Path) -> str | None:
    """Why the JVM did not start, if its log says so."""
    with contextlib.suppress(OSError):
        for line in log.read_text(errors="replace").splitlines():
            _, found, reason = line.partition("Exception: ")
            if found:
                return reason
    return None


def _gateway(conf: SparkConf, words: IO[bytes]) -> Any:
    return launch_gateway(conf, {"start_new_session": True, "stderr": words})  # type: ignore[no-untyped-call]
