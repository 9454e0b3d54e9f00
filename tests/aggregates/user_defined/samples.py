"""Aggregates in Python, as users write them."""

from __future__ import annotations

import math


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


class Largest:
    """The sum of the two greatest values; of two parts, from the two greatest of each."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def initialize(self, x: float) -> None:
        self.iterate(x)

    def iterate(self, x: float) -> None:
        self.values = sorted([*self.values, x])[-2:]

    def merge(self, later: Largest) -> None:
        self.values = sorted([*self.values, *later.values])[-2:]

    def terminate(self) -> float:
        return sum(self.values)


class Endless:
    """Comes to no end at 3."""

    def initialize(self, x: int) -> None:
        self.x = x

    def iterate(self, x: int) -> None:
        while x == 3:
            pass
        self.x = x

    def terminate(self) -> int:
        return self.x


class Unlucky:
    """The last value; it cannot stand 13, and says so in what it calls."""

    def initialize(self, x: int) -> None:
        self.iterate(x)

    def iterate(self, x: int) -> None:
        self._refuse_thirteen(x)
        self.x = x

    def expire(self, x: int) -> None:
        """The last value stays."""

    def terminate(self) -> int:
        return self.x

    def _refuse_thirteen(self, x: int) -> None:
        if x == 13:
            raise ValueError("13 brings bad luck")


SHARE = 0.1


class Moving:
    """An average that goes back by what leaves; NULL counts for nothing."""

    LEAST = 1

    def __init__(self) -> None:
        self.total = 0
        self.number = 0

    def initialize(self, x: float | None) -> None:
        self.iterate(x)

    def iterate(self, x: float | None) -> None:
        """One more."""
        if x is not None:
            self.total += x
            self.number += 1

    def expire(self, x: float | None) -> None:
        if x is None:
            return
        self.total -= x
        self.number -= 1

    def terminate(self) -> float | None:
        if self.number < self.LEAST:
            return None
        return self.total / self.number


class Decaying:
    """With each tuple a mean of which a tenth is new; numbers above a thousand are too much."""

    def __init__(self) -> None:
        self.mean = 0.0

    def initialize(self, x: float) -> float:
        self.mean = x
        return self.mean

    def iterate(self, x: float) -> float:
        if math.fabs(x) > 1000:
            raise ValueError("too much")
        self.mean = (1 - SHARE) * self.mean + SHARE * x
        return self.mean


class Ratio:
    """Whole numbers: the first through the sum of the others."""

    def __init__(self) -> None:
        self.first = 0
        self.rest = 0

    def initialize(self, x: int) -> None:
        self.first = x

    def iterate(self, x: int) -> None:
        self.rest += x

    def terminate(self) -> int:
        return self.first // self.rest


class Later:
    """Counts down from each value."""

    def __init__(self) -> None:
        self.x = 0

    def initialize(self, x: int) -> None:
        self.iterate(x)

    def iterate(self, x: int) -> None:
        while x > 0:
            x -= 1
        self.x = x

    def terminate(self) -> int:
        return self.x
