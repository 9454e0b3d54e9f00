"""Ends in the order of arrival, all looked at each time: what the direct approach does with rows whose
ends come in any order (thesis 2.3.3). It is here to be compared with."""

from __future__ import annotations

import numpy as np

from windrow.buffers.expiries import Expiries, Numbers
from windrow.delta import Instants


class Scan(Expiries):
    """A list without any order."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = np.empty(0, np.int64)
        self._exp = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def nbytes(self) -> int:
        return self._numbers.nbytes + self._exp.nbytes

    def _insert(self, numbers: Numbers, exp: Instants) -> None:
        self._numbers = np.concatenate([self._numbers, numbers])
        self._exp = np.concatenate([self._exp, exp])

    def expire_until(self, clock: int) -> tuple[Numbers, Instants]:
        self.probes += len(self)
        ended = self._exp <= clock
        numbers, exp = self._numbers[ended], self._exp[ended]
        self._numbers, self._exp = self._numbers[~ended], self._exp[~ended]
        order = np.argsort(exp, kind="stable")
        return numbers[order], exp[order]
