"""An average in Python that follows its window."""

from __future__ import annotations


class Moving:
    """A sum and a number, told at the end."""

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


class Telling:
    """The same, told with each tuple."""

    def __init__(self) -> None:
        self.total = 0.0
        self.number = 0

    def initialize(self, x: float) -> float:
        return self.iterate(x)

    def iterate(self, x: float) -> float:
        self.total += x
        self.number += 1
        return self.total / self.number

    def expire(self, x: float) -> None:
        self.total -= x
        self.number -= 1
