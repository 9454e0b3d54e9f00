"""A dictionary from slot to row is the reference."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from windrow.buffers.slots import FEWEST, SlottedRows

SCHEMA = pa.schema([("a", pa.int64())])


def rows(first: int, count: int) -> pa.Table:
    return pa.table({"a": pa.array(range(first, first + count), pa.int64())})


def restored(kept: SlottedRows) -> SlottedRows:
    again = SlottedRows(SCHEMA)
    if state := kept.save():
        again.restore(state)
    return again


@pytest.mark.parametrize("seed", range(10))
def test_rows_are_found_by_their_slots_until_they_go(seed: int) -> None:
    chance = Random(seed)
    kept, live, next_ = SlottedRows(SCHEMA), dict[int, int](), 0
    for _ in range(50):
        count = chance.choice([0, 1, 3, 200])
        slots = kept.enter(rows(next_, count)).tolist()
        assert not live.keys() & set(slots)
        live |= dict(zip(slots, range(next_, next_ + count), strict=True))
        next_ += count
        gone = chance.sample(sorted(live), len(live) // chance.choice([1, 2, 10]))
        kept.release(np.array(gone, np.int64))
        for slot in gone:
            del live[slot]
        again = restored(kept)
        assert again.live().tolist() == kept.live().tolist() == list(live)
        assert kept.take(kept.live())["a"].to_pylist() == list(live.values())
        assert again.enter(rows(0, 5)).tolist() == restored(kept).enter(rows(0, 5)).tolist()
        if chance.random() < 0.3:
            kept = restored(kept)


def test_slots_are_used_again() -> None:
    kept = SlottedRows(SCHEMA)
    for _ in range(100):
        slots = kept.enter(rows(0, FEWEST // 3))
        kept.release(slots)
    assert kept.capacity == FEWEST


def test_memory_is_freed_with_the_last_row() -> None:
    kept = SlottedRows(SCHEMA)
    slots = kept.enter(rows(0, 100_000))
    kept.release(slots[:-1])
    kept.release(slots[-1:])
    assert kept.nbytes < 10_000
