"""An aggregate in Python, to use and to learn from: the median, of a whole or of a window.

CREATE AGGREGATE middle(x DOUBLE) : DOUBLE LANGUAGE PYTHON AS 'windrow.library.medians:Median'
"""

from __future__ import annotations

from bisect import bisect_left, insort


class Median:
    """Keeps the values sorted."""

    def __init__(self) -> None:
        self._values: list[float] = []

    def initialize(self, x: float | None) -> None:
        self.iterate(x)

    def iterate(self, x: float | None) -> None:
        if x is not None:
            insort(self._values, x)

    def expire(self, x: float | None) -> None:
        if x is not None:
            del self._values[bisect_left(self._values, x)]

    def terminate(self) -> float | None:
        count = len(self._values)
        if not count:
            return None
        return (self._values[(count - 1) // 2] + self._values[count // 2]) / 2
