"""Ends a step that takes too long, as one does that never comes to its end: something is raised in it."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class NeverEnds(Exception):
    """A step was still not done after its time."""


class Patience:
    """Watches one thread: whether its steps go on."""

    def __init__(self, microseconds: int) -> None:
        self._seconds = microseconds / 1e6
        self._thread = threading.get_ident()
        self._guard = threading.Lock()
        self._done = threading.Event()
        self._raised = False
        self.step = -1
        """Set by the thread that is watched."""

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """Watch meanwhile."""
        watch = threading.Thread(target=self._watch, daemon=True)
        watch.start()
        try:
            yield
        finally:
            with self._guard:
                self._done.set()
                if self._raised:
                    _raise_in(self._thread, None)
            watch.join()

    def _watch(self) -> None:
        seen = self.step
        while not self._done.wait(self._seconds):
            with self._guard:
                if self.step == seen and not self._done.is_set():
                    self._raised = True
                    _raise_in(self._thread, NeverEnds)
                    return
                seen = self.step


def _raise_in(thread: int, what: type[Exception] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if what is None else ctypes.py_object(what)
    )
