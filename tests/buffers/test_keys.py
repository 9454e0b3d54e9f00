"""A dictionary from key to code is the reference. Keys that share a hash are made by a poor hash."""

from __future__ import annotations

from datetime import date, datetime
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from windrow.buffers.keys import KeyCodes
from windrow.schema import Schema

NUMBER = Schema.of(("k", "BIGINT"))
PAIR = Schema.of(("k", "VARCHAR"), ("n", "DOUBLE"))
VALUES: dict[str, list[Any]] = {
    "BIGINT": [0, 1, -1, None, 2**63 - 1, -(2**63), -0x61C8864680B583EB],
    "UBIGINT": [0, 2**64 - 1, None],
    "TINYINT": [-128, 127, None],
    "VARCHAR": ["", "a", "ä", None, "a\0b"],
    "DOUBLE": [0.0, 1.5, None, float("inf")],
    "TIMESTAMP": [datetime(2026, 1, 1), None, datetime(1900, 1, 1)],
    "DATE": [date(2026, 1, 1), None],
    "BOOLEAN": [True, False, None],
    "INTEGER[]": [[1, 2], [], None, [None]],
    "DECIMAL(9,2)": [None, 1],
}


class PoorlyHashed(KeyCodes):
    """Every key has one of three hashes."""

    def _hashes(self, table: pa.Table) -> Any:
        return super()._hashes(table) % 3


def table(schema: Schema, keys: list[tuple[Any, ...]]) -> pa.Table:
    columns = list(zip(*keys, strict=True)) or [()] * len(schema)
    types = schema.arrow.types
    return pa.table([pa.array(c, t) for c, t in zip(columns, types, strict=True)], schema=schema.arrow)


def random_keys(chance: Random, schema: Schema, count: int) -> list[tuple[Any, ...]]:
    if schema is PAIR:
        return [
            (chance.choice(["x", "y", None, "z" * 9]), chance.choice([0.5, None, 2.0]))
            for _ in range(count)
        ]
    return [(chance.choice([None, *range(40)]),) for _ in range(count)]


@pytest.mark.parametrize(
    ("kind", "schema"),
    [(KeyCodes, NUMBER), (KeyCodes, PAIR), (PoorlyHashed, PAIR)],
    ids=["number", "pair", "poor"],
)
@pytest.mark.parametrize("seed", range(6))
def test_equal_keys_have_equal_codes(seed: int, kind: type[KeyCodes], schema: Schema) -> None:
    chance = Random(seed)
    known: dict[tuple[Any, ...], int] = {}
    coder = kind(schema)
    for _ in range(30):
        keys = random_keys(chance, schema, chance.choice([0, 1, 30]))
        codes = coder.codes(table(schema, keys)).tolist()
        for key, code in zip(keys, codes, strict=True):
            assert known.setdefault(key, code) == code
        assert len(set(known.values())) == len(known)
        others = random_keys(chance, schema, 10)
        for key, code in zip(others, coder.find(table(schema, others)).tolist(), strict=True):
            assert code == known.get(key, -1) or (kind is PoorlyHashed and key not in known)
        some = list(known)
        assert [
            tuple(row.values()) for row in coder.keys(np.array(list(known.values()), np.int64)).to_pylist()
        ] == some
        if kind is KeyCodes:
            gone = [key for key in some if chance.random() < 0.3]
            coder.release(np.array([known.pop(key) for key in gone], np.int64))
            assert len(coder) == len(known)
        if chance.random() < 0.3:
            saved, coder = coder.save(), kind(schema)
            coder.restore(saved)


@pytest.mark.parametrize("type_", VALUES)
def test_keys_of_any_type_are_told_apart(type_: str) -> None:
    schema = Schema.of(("k", type_))
    keys = [(value,) for value in VALUES[type_]]
    coder = KeyCodes(schema)
    codes = coder.codes(table(schema, [*keys, *reversed(keys)])).tolist()
    assert codes[: len(keys)] == list(range(len(keys)))
    assert codes[len(keys) :] == codes[: len(keys)][::-1]


def test_a_key_that_went_leaves_its_code_to_the_next() -> None:
    coder = KeyCodes(NUMBER)
    coder.codes(table(NUMBER, [(1,), (2,), (3,)]))
    coder.release(np.array([2, 0]))
    assert coder.find(table(NUMBER, [(1,), (2,)])).tolist() == [-1, 1]
    assert coder.codes(table(NUMBER, [(9,), (8,), (7,)])).tolist() == [0, 2, 3]


def test_a_million_keys_come_and_go() -> None:
    coder = KeyCodes(NUMBER)
    for start in range(0, 1_000_000, 250_000):
        keys = pa.table({"k": np.arange(start, start + 250_000)})
        codes = coder.codes(keys)
        assert len(np.unique(codes)) == 250_000
        assert codes.max() < coder.capacity
        coder.release(codes[::2])
    assert len(coder) == 500_000
    assert (coder.find(pa.table({"k": np.arange(0, 1_000_000, 2)})) == -1).all()


def test_numbers_are_found_wherever_they_move() -> None:
    random = np.random.default_rng(3)
    coder, known = KeyCodes(NUMBER), dict[int, int]()
    starts = [0, 200, -150, -4000, 90_000, 2**63 - 700, -(2**63), 50, 300, -(2**62)]
    for start in starts * 3:
        keys = [start + int(more) for more in random.integers(0, 600, 300)]
        codes = coder.codes(table(NUMBER, [(key,) for key in keys])).tolist()
        for key, code in zip(keys, codes, strict=True):
            assert known.setdefault(key, code) == code
        assert len(set(known.values())) == len(known)
        gone = [key for key in known if random.random() < 0.5]
        coder.release(np.array([known.pop(key) for key in gone]))
        assert (coder.find(table(NUMBER, [(key,) for key in gone])) == -1).all()


def test_not_a_number_equals_itself() -> None:
    schema = Schema.of(("k", "DOUBLE"))
    keys = pa.table({"k": pa.array([float("nan"), 1.0, float("nan"), -0.0, 0.0])})
    assert KeyCodes(schema).codes(keys).tolist() == [0, 1, 0, 2, 2]


def test_without_columns_all_rows_have_one_key() -> None:
    coder = KeyCodes(Schema(()))
    assert coder.find(pa.table({"a": [1]}).select([])).tolist() == [-1]
    assert coder.codes(pa.table({"a": [1, 2, 3]}).select([])).tolist() == [0, 0, 0]
    coder.release(np.array([0]))
    assert not len(coder)
