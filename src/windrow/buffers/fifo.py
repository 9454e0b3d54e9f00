"""First in, first out: for rows of WKS edges, whose ends never come before the end of an older one."""

from __future__ import annotations

from collections import deque

import numpy as np

from windrow.buffers.expiries import NOTHING, Expiries, Numbers
from windrow.delta import Instants


class Fifo(Expiries):
    """Ends in the order in which they come in; who ends is always at the front."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: deque[tuple[Numbers, Instants]] = deque()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return 16 * self._count

    def _insert(self, numbers: Numbers, exp: Instants) -> None:
        if len(numbers):
            self._runs.append((numbers, exp))
            self._count += len(numbers)

    def expire_until(self, clock: int) -> tuple[Numbers, Instants]:
        gone = []
        while self._runs and self._runs[0][1][0] <= clock:
            numbers, exp = self._runs.popleft()
            ended = int(np.searchsorted(exp, clock, side="right"))
            gone.append((numbers[:ended], exp[:ended]))
            if ended < len(numbers):
                self._runs.appendleft((numbers[ended:], exp[ended:]))
        if not gone:
            return NOTHING
        numbers = np.concatenate([numbers for numbers, _ in gone])
        self._count -= len(numbers)
        self.probes += len(numbers)
        return numbers, np.concatenate([exp for _, exp in gone])
