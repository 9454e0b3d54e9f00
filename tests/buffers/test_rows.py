"""A dictionary from number to row is the reference."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from windrow.buffers.rows import LARGE, RowStore

SCHEMA = pa.schema([("a", pa.int64()), ("s", pa.string())])


def rows(first: int, count: int) -> pa.Table:
    numbers = range(first, first + count)
    return pa.table({"a": pa.array(numbers, pa.int64()), "s": [f"row {n}" for n in numbers]}, schema=SCHEMA)


def restored(store: RowStore) -> RowStore:
    again = RowStore(SCHEMA)
    again.restore(store.save())
    return again


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_found_by_their_numbers_until_they_go(seed: int) -> None:
    chance = Random(seed)
    store, live, next_ = RowStore(SCHEMA), [], 0
    for _ in range(60):
        count = chance.choice([0, 1, 3, 200])
        assert store.append(rows(next_, count)) == next_
        live += range(next_, next_ + count)
        next_ += count
        oldest_first = chance.random() < 0.5
        gone = (
            live[: chance.randrange(len(live) + 1)] if oldest_first else chance.sample(live, len(live) // 3)
        )
        store.release(np.array(gone, np.int64))
        live = sorted(set(live) - set(gone))
        if chance.random() < 0.3:
            store = restored(store)
        assert store.live().tolist() == live
        assert len(store) == len(live)
        asked = chance.choices(live, k=chance.choice([1, 5, 500])) if live else []
        assert store.take(np.array(asked, np.int64)).to_pylist() == [
            {"a": number, "s": f"row {number}"} for number in asked
        ]


def test_many_small_appends_make_few_chunks() -> None:
    store = RowStore(SCHEMA)
    for number in range(500):
        store.append(rows(number * 10, 10))
    assert len(store.save()) < 20


def test_memory_follows_what_is_live() -> None:
    store = RowStore(SCHEMA)
    for number in range(10):
        store.append(rows(number * LARGE, LARGE))
    full = store.nbytes
    store.release(np.arange(9 * LARGE))
    assert store.nbytes < full / 8
    store.release(np.arange(9 * LARGE, 10 * LARGE))
    assert store.nbytes == 0


def test_chunks_that_stay_are_saved_as_the_same_objects() -> None:
    store = RowStore(SCHEMA)
    store.append(rows(0, LARGE))
    first = store.save()
    store.append(rows(LARGE, 10))
    store.release(np.array([3]))
    second = store.save()
    assert second["rows0"] is first["rows0"]
    assert restored(store).save()["rows0"].equals(first["rows0"])


def test_nothing_is_taken_of_an_empty_store() -> None:
    store = RowStore(SCHEMA)
    assert store.take(np.empty(0, np.int64)).schema == SCHEMA
    assert restored(store).append(rows(0, 2)) == 0
