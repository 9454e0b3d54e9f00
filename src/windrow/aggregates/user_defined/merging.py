"""A class in Python over panes: an instance for each, sent on pickled, and what a window comes to."""

from __future__ import annotations

import pickle
from typing import Any


class Pane:
    """Goes through a pane, and gives the instance itself."""

    def __init__(self, class_: Any) -> None:
        self._instance = class_()

    def initialize(self, *arguments: Any) -> None:
        self._instance.initialize(*arguments)

    def iterate(self, *arguments: Any) -> None:
        self._instance.iterate(*arguments)

    def terminate(self) -> bytes:
        return pickle.dumps(self._instance)


class Panes:
    """Keeps panes so that each is merged twice at most, however many a window has: of the older ones what
    each and those behind it come to, of the newer ones what they come to together."""

    def __init__(self, class_: Any) -> None:
        self._older: list[bytes] = []
        """The oldest is last."""
        self._newer: list[bytes] = []
        self._together: bytes | None = None

    def initialize(self, pane: bytes) -> None:
        self.iterate(pane)

    def iterate(self, pane: bytes) -> None:
        self._newer.append(pane)
        self._together = pane if self._together is None else _merged(self._together, pane)

    def expire(self, _pane: bytes) -> None:
        if not self._older:
            for pane in reversed(self._newer):
                self._older.append(_merged(pane, self._older[-1]) if self._older else pane)
            self._newer, self._together = [], None
        self._older.pop()

    def terminate(self) -> Any:
        first, *more = [*self._older[-1:], *([] if self._together is None else [self._together])]
        whole = pickle.loads(first)
        for each in more:
            whole.merge(pickle.loads(each))
        return whole.terminate()


def _merged(pane: bytes, later: bytes) -> bytes:
    instance = pickle.loads(pane)
    instance.merge(pickle.loads(later))
    return pickle.dumps(instance)
