"""A list of rows with their ends is the reference."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from windrow.buffers.departures import Departures
from windrow.delta import NEVER

SCHEMA = pa.schema([("n", pa.int64()), ("s", pa.string())])


def rows(numbers: list[int]) -> pa.Table:
    return pa.table({"n": numbers, "s": [f"row {n}" for n in numbers]}, schema=SCHEMA)


def restored(departures: Departures) -> Departures:
    again = Departures(SCHEMA)
    again.restore(departures.save())
    return again


@pytest.mark.parametrize("first_in_first_out", [True, False])
@pytest.mark.parametrize("seed", range(10))
def test_rows_are_given_back_in_the_order_of_their_ends(seed: int, first_in_first_out: bool) -> None:
    chance = Random(seed)
    departures, waiting, clock, number = Departures(SCHEMA), [], 0, 0
    for _ in range(60):
        count = chance.choice([0, 1, 2, 90])
        lives = [40 if first_in_first_out else chance.choice([1, 2, 30, 500, NEVER - 1000])] * count
        ends = [clock + life for life in lives]
        departures.add(np.array(ends, np.int64), rows(list(range(number, number + count))))
        waiting += zip(ends, range(number, number + count), strict=True)
        number += count
        clock += chance.choice([0, 1, 5])
        got_ends, got = departures.due(clock)
        due = sorted(each for each in waiting if each[0] <= clock)
        waiting = [each for each in waiting if each[0] > clock]
        assert list(zip(got_ends.tolist(), got["n"].to_pylist(), strict=True)) == due
        assert len(departures) == len(waiting)
        left_ends, left = departures.waiting()
        assert sorted(zip(left_ends.tolist(), left["n"].to_pylist(), strict=True)) == sorted(waiting)
        if chance.random() < 0.3:
            departures = restored(departures)


def test_rows_that_nobody_wants_are_forgotten() -> None:
    departures = Departures(SCHEMA)
    for number in range(100):
        departures.add(np.array([number % 7 + 100]), rows([number]))
    _, table = departures.waiting()
    departures.keep(np.array(table["n"].to_numpy() % 3 == 0))
    _, left = departures.due(200)
    assert sorted(left["n"].to_pylist()) == list(range(0, 100, 3))


def test_what_has_not_changed_is_saved_as_the_same_object() -> None:
    departures = Departures(SCHEMA)
    departures.add(np.arange(100_000) + 10, rows(list(range(100_000))))
    before = departures.save()
    departures.add(np.array([200_000]), rows([1]))
    departures.due(20)
    after = departures.save()
    large = [name for name, table in before.items() if len(table) == 100_000]
    assert [after[name] is before[name] for name in large] == [True]


def test_memory_follows_what_waits() -> None:
    departures = Departures(SCHEMA)
    departures.add(np.arange(10_000), rows(list(range(10_000))))
    full = departures.nbytes
    departures.due(9_990)
    assert departures.nbytes < full / 100
    departures.due(10_000)
    assert departures.nbytes == 0


def test_many_small_runs_become_few() -> None:
    departures = Departures(SCHEMA)
    for number in range(500):
        departures.add(np.array([1000 - number]), rows([number]))
    assert len(departures.save()) < 20
