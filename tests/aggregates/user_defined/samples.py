"""Aggregates in Python, as users write them."""

from __future__ import annotations


class Pairs:
    """With each tuple, all sums of its value and one before it; it cannot stand 13."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def initialize(self, x: int) -> None:
        self.seen.append(x)

    def iterate(self, x: int) -> list[int]:
        if x == 13:
            raise ValueError("13 brings bad luck")
        self.seen.append(x)
        return [x + each for each in self.seen[:-1]]


class Total:
    """A sum that goes back by what leaves."""

    def __init__(self) -> None:
        self.total = 0

    def initialize(self, x: int) -> None:
        self.total = x

    def iterate(self, x: int) -> None:
        self.total += x

    def inverse(self, x: int) -> None:
        self.total -= x

    def terminate(self) -> tuple[int, str]:
        return self.total, str(self.total)
