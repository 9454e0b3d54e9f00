"""What waits between two steps: tuples and time-messages, in time order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np

from windrow.delta import BEGINNING, Delta, Instants, concat


class Queue:
    """First in, first out. Read up to an instant: what is of one instant is read together.

    One that `merges` holds at most one time-message, and that behind all tuples: whatever comes after it
    tells the time in its place (nile's piggybacking).
    """

    def __init__(self, empty: Delta, *, merges: bool = False) -> None:
        self._empty = empty
        self._merges = merges
        self._items: deque[Delta | int] = deque()

    @property
    def is_empty(self) -> bool:
        return not self._items

    @property
    def tail(self) -> int:
        """The instant of the last; BEGINNING if nobody waits."""
        if not self._items:
            return BEGINNING
        last = self._items[-1]
        return last if isinstance(last, int) else int(last.ts[-1])

    @property
    def instants(self) -> Instants:
        """Of all that wait."""
        told = [np.array([item]) if isinstance(item, int) else item.ts for item in self._items]
        return np.concatenate([np.empty(0, np.int64), *told])

    def put(self, item: Delta | int) -> int:
        """Let tuples, or a message, wait; how many messages they stand for from now on."""
        merged = self._merges and bool(self._items) and isinstance(self._items[-1], int)
        if merged:
            self._items.pop()
        self._items.append(item)
        return int(merged)

    def take(self, until: int) -> tuple[Delta, int]:
        """The tuples up to an instant, and how many messages were among them."""
        taken = list(self._taken(until))
        tuples = [item for item in taken if isinstance(item, Delta)]
        delta = concat(tuples) if tuples else self._empty
        return delta.at(until), len(taken) - len(tuples)

    def _taken(self, until: int) -> Iterator[Delta | int]:
        while self._items:
            item = self._items.popleft()
            if isinstance(item, int):
                if item > until:
                    self._items.appendleft(item)
                    return
                yield item
                continue
            if item.ts[-1] <= until:
                yield item
                continue
            ready = int(np.searchsorted(item.ts, until, side="right"))
            if ready:
                yield item.take(np.arange(ready))
            self._items.appendleft(item.take(np.arange(ready, len(item))))
            return
