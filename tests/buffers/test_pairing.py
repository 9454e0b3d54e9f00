"""The live tuples of both sides of a join: what a call costs follows from what it brings."""

from __future__ import annotations

import numpy as np
import pytest

from windrow.buffers.pairing import Arrivals, Pairing
from windrow.kernels import pairing as kernels

KEYS = 100


def arrivals(begin: int, side: int) -> Arrivals:
    """A tuple of every key, that stays for three such calls."""
    ts = begin * KEYS + np.arange(KEYS)
    return Arrivals(ts, ts + 3 * KEYS, np.arange(KEYS), begin * KEYS + side)


def test_lists_with_room_are_left_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    moves, repack = [], kernels.repack
    monkeypatch.setattr(kernels, "repack", lambda *given: moves.append(1) or repack(*given))
    pairing, calls, pairs = Pairing(), 100, 0
    for number in range(calls):
        both = arrivals(number, 0), arrivals(number, 1)
        pairs += sum(len(each.ts) for each in pairing.pairs(*both, KEYS))
    assert pairs > 4 * calls * KEYS
    assert len(moves) < calls / 4
