"""An average in Python that follows its window."""

from __future__ import annotations


class Moving:
    """A sum and a number."""

    def __init__(self) -> None:
        self.total = 0.0
        self.number = 0

    def initialize(self, x: float) -> None:
        self.iterate(x)

    def iterate(self, x: float) -> None:
        self.total += x
        self.number += 1

    def expire(self, x: float) -> None:
        self.total -= x
        self.number -= 1

    def terminate(self) -> float:
        return self.total / self.number
