"""The work of a join step alone: what reaches it under a strategy, made ready beforehand."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from windrow.delta import Delta
from windrow.operators.registry import operator_for
from windrow.plan.exchange import Received
from windrow.plan.expiration import Expiration
from windrow.plan.joins import Join
from windrow.plan.patterns import Pattern
from windrow.runtime.queued.instants import Instants
from windrow.schema import Schema

CALL = 2_000
"""Tuples a call, of both sides together."""


@dataclass(frozen=True)
class Work:
    """A join and what comes to it."""

    node: Join
    calls: Sequence[tuple[Delta, Delta]]
    tells: bool
    """It notes when results end, and tells each of these instants."""

    def seconds(self) -> float:
        """Of processor time."""
        join, ends = operator_for(self.node), Instants()
        began = time.process_time()
        for inputs in self.calls:
            given = join.on_deltas(inputs)
            if self.tells and given.exp is not None:
                ends.add(given.exp)
                ends.take(given.clock)
        return time.process_time() - began


def join_step(how: Expiration, rows: int, window: int, keys: int) -> Work:
    """A tuple a microsecond, on each side in turn."""
    pattern = Pattern.STR if how is Expiration.NEGATIVE else Pattern.WKS
    random = np.random.default_rng(5)
    sides = [
        _deltas(Schema.of((name, "BIGINT")), random.integers(0, keys, rows // 2), side, 2 * window, pattern)
        for side, name in enumerate("ab")
    ]
    lifetime = None if pattern is Pattern.STR else 2 * window
    left, right = (Received(name, Schema.of((name, "BIGINT")), pattern, lifetime, (name,)) for name in "ab")
    tells = how in (Expiration.TIME_MESSAGE, Expiration.PIGGYBACK)
    return Work(Join(left, right, (("a", "b"),), None), list(zip(*sides, strict=True)), tells)


def _deltas(
    schema: Schema, key: npt.NDArray[np.int64], side: int, lifetime: int, pattern: Pattern
) -> list[Delta]:
    """The tuples of a side, and in between the negative ones, in calls."""
    ts = 2 * np.arange(len(key)) + side
    clocks = np.arange(CALL - 1, 2 * len(key) + CALL - 1, CALL)
    if pattern is Pattern.STR:
        sign = np.repeat(np.array([1, -1], np.int8), len(key))
        instants = np.concatenate([ts, ts + lifetime])
        order = np.lexsort((sign, instants))
        rows = pa.table([pa.array(np.tile(key, 2)[order])], schema=schema.arrow)
        whole = Delta(0, rows, instants[order], sign=sign[order])
    else:
        whole = Delta(0, pa.table([pa.array(key)], schema=schema.arrow), ts, ts + lifetime)
    cuts = np.searchsorted(whole.ts, clocks, side="right")
    return [
        whole.take(np.arange(begin, end)).at(int(clock))
        for clock, begin, end in zip(clocks, [0, *cuts[:-1]], cuts, strict=True)
    ]
