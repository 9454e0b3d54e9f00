"""A list of rows is the reference: of equal ones the first goes first."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from windrow.buffers.keyed import KeyedRows
from windrow.schema import Schema

SCHEMA = Schema.of(("a", "BIGINT"), ("s", "VARCHAR"))
Row = tuple[int | None, str | None]


def table(rows: list[Row]) -> pa.Table:
    a, s = zip(*rows, strict=True) if rows else ((), ())
    return pa.table([pa.array(a, pa.int64()), pa.array(s, pa.string())], schema=SCHEMA.arrow)


@pytest.mark.parametrize("seed", range(8))
def test_of_equal_rows_the_oldest_goes_first(seed: int) -> None:
    chance = Random(seed)
    keyed, live, next_ = KeyedRows(SCHEMA), [], 0
    for _ in range(25):
        rows, signs, wanted = [], [], []
        for _ in range(chance.choice([0, 1, 20])):
            if live and chance.random() < 0.5:
                row = chance.choice(live)[1]
                number = next(number for number, other in live if other == row)
                live.remove((number, row))
                signs.append(-1)
            else:
                number, row = next_, (chance.choice([None, 1, 2]), chance.choice([None, "", "x"]))
                live.append((number, row))
                next_ += 1
                signs.append(1)
            rows.append(row)
            wanted.append(number)
        sign = np.array(signs, np.int8)
        numbers = keyed.change(table(rows), sign)
        assert numbers.tolist() == wanted
        assert keyed.take(numbers).equals(table(rows))
        keyed.forget(numbers[sign < 0])
        if chance.random() < 0.3:
            saved, keyed = keyed.save(), KeyedRows(SCHEMA)
            next_ = next_ if saved else 0
            if saved:
                keyed.restore(saved)
        assert keyed.live().tolist() == [number for number, _ in live]
        assert len(keyed) == len(live)


def test_memory_is_free_when_all_rows_are_gone() -> None:
    keyed = KeyedRows(SCHEMA)
    rows = table([(number, "x") for number in range(5000)])
    keyed.change(rows, np.ones(5000, np.int8))
    keyed.forget(keyed.change(rows, np.full(5000, -1, np.int8)))
    assert len(keyed) == 0
    assert not keyed.save()
    assert keyed.change(table([(7, "y")]), np.ones(1, np.int8)).tolist() == [5000]


def test_nothing_can_go_that_did_not_come() -> None:
    with pytest.raises(ValueError, match="none did"):
        KeyedRows(SCHEMA).change(table([(1, "x")]), np.array([-1], np.int8))
