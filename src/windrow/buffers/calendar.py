"""Brown's calendar queue: for rows of WK edges, whose ends are known beforehand but come in any order.

Putting in costs the same however many there are, and so does taking out what has ended. That holds while
a day has few entries and a year covers most of them; so the number of days follows the number of entries,
and both it and the length of a day are chosen anew when looking around has cost more than it should.
"""

from __future__ import annotations

import numpy as np

from windrow.buffers.expiries import NOTHING, Expiries, Numbers
from windrow.delta import NEVER, Instants
from windrow.kernels import calendar

FEWEST_DAYS = 16
_ENTRIES_PER_DAY = 4
"""No more than this on average."""
_PATIENCE = 8
"""So many looks for each entry and each day are still well spent."""


class CalendarQueue(Expiries):
    """Ends in days of equal length, around a year."""

    def __init__(self) -> None:
        super().__init__()
        self._handled = 0
        self._open(FEWEST_DAYS, width=1)

    def __len__(self) -> int:
        return int(self._book[calendar.COUNT])

    @property
    def days(self) -> int:
        """Of a year."""
        return len(self._heads)

    @property
    def width(self) -> int:
        """Of a day."""
        return int(self._book[calendar.WIDTH])

    @property
    def nbytes(self) -> int:
        return self._heads.nbytes + self._chain.nbytes + self._number.nbytes + self._exp.nbytes

    def _insert(self, numbers: Numbers, exp: Instants) -> None:
        numbers, exp = np.ascontiguousarray(numbers), np.ascontiguousarray(exp)
        if len(self) + len(numbers) > self._room:
            self._tune(numbers, exp)
        else:
            self._enter(numbers, exp)

    def expire_until(self, clock: int) -> tuple[Numbers, Instants]:
        numbers, exp = self._expire(clock)
        too_many = FEWEST_DAYS < self.days > 2 * len(self)
        if too_many or self._looks > _PATIENCE * (self.days + self._handled):
            self._tune(*NOTHING)
        order = np.lexsort((numbers, exp))
        return numbers[order], exp[order]

    @property
    def _room(self) -> int:
        return _ENTRIES_PER_DAY * self.days

    @property
    def _looks(self) -> int:
        """Since the days were chosen."""
        return int(self._book[calendar.PROBES])

    def _tune(self, numbers: Numbers, exp: Instants) -> None:
        """Choose days that suit all entries, these new ones included."""
        known, ends = self._expire(NEVER)
        numbers, exp = np.concatenate([known, numbers]), np.concatenate([ends, exp])
        days = max(FEWEST_DAYS, 1 << (len(numbers) // 2).bit_length())
        self._open(days, _year(exp) // days + 1)
        self._enter(numbers, exp)
        self._handled = 0

    def _open(self, days: int, width: int) -> None:
        self._heads = np.zeros(days, np.int64)
        self._chain, self._number, self._exp = (np.empty(self._room, np.int64) for _ in range(3))
        self._book = np.array([0, 0, 0, NEVER, width, 0])

    def _enter(self, numbers: Numbers, exp: Instants) -> None:
        self._handled += len(numbers)
        calendar.enter(numbers, exp, self._heads, self._chain, self._number, self._exp, self._book)

    def _expire(self, clock: int) -> tuple[Numbers, Instants]:
        before = self._looks
        numbers, exp = calendar.expire(clock, self._heads, self._chain, self._number, self._exp, self._book)
        self._handled += len(numbers)
        self.probes += self._looks - before
        return numbers, exp


def _year(exp: Instants) -> int:
    """Twice the time in which the first half of the entries end: a few that last long do not count."""
    if not len(exp):
        return 0
    half = int(np.partition(exp, len(exp) // 2)[len(exp) // 2])
    return 2 * (half - int(exp.min()))
