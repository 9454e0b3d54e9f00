"""Equal keys share a bucket, in every process."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from windrow.expressions.buckets import buckets

KEYS = {
    "integers": pa.array([1, 2, 1, None, None, 2], pa.int32()),
    "texts": pa.array(["u", "v", "u", None, None, "v"]),
    "bytes": pa.array([b"u", b"v", b"u", None, None, b"v"]),
    "truths": pa.array([True, False, True, None, None, False]),
    "zeros and NaN": pa.array([0.0, float("nan"), -0.0, None, None, -float("nan")]),
    "decimals": pa.array([Decimal("1.50"), Decimal(2), Decimal("1.50"), None, None, Decimal(2)]),
    "instants": pa.array([dt.datetime(2020, 1, d) if d else None for d in (1, 2, 1, 0, 0, 2)]),
    "lists": pa.array([[1, None], [2], [1, None], None, None, [2]]),
    "structs": pa.array([{"k": 1}, {"k": None}, {"k": 1}, None, None, {"k": None}]),
    "dictionary": pa.array(["u", "v", "u", None, None, "v"]).dictionary_encode(),
}


@pytest.mark.parametrize("kind", KEYS)
def test_equal_keys_share_a_bucket(kind: str) -> None:
    table = pa.table({"key": KEYS[kind], "other": range(6)})
    number = buckets(table, ["key"], 1000)
    assert number.dtype == np.int32
    assert (number[0], number[1], number[3]) == (number[2], number[5], number[4])
    assert len(set(number.tolist())) > 1


def test_a_dictionary_hashes_like_its_values() -> None:
    plain, coded = (buckets(pa.table({"k": KEYS[kind]}), ["k"], 64) for kind in ("texts", "dictionary"))
    assert plain.tolist() == coded.tolist()


def test_buckets_are_even_and_in_range() -> None:
    numbers = buckets(pa.table({"a": range(100_000), "b": ["x"] * 100_000}), ["a", "b"], 7)
    sizes = np.bincount(numbers, minlength=7)
    assert len(sizes) == 7
    assert sizes.min() > 13_000


@pytest.mark.parametrize(("keys", "count"), [(["a"], 1), ([], 5)])
def test_one_place_for_all(keys: list[str], count: int) -> None:
    assert buckets(pa.table({"a": [1, 2]}), keys, count).tolist() == [0, 0]


def test_no_rows_no_buckets() -> None:
    assert buckets(pa.table({"a": pa.array([], pa.int64())}), ["a"], 3).tolist() == []


def test_every_process_gives_the_same_buckets() -> None:
    code = (
        "import pyarrow as pa; from windrow.expressions.buckets import buckets;"
        "print(buckets(pa.table({'a': range(20), 'b': ['x', None] * 10}), ['a', 'b'], 9).tolist())"
    )
    said = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60).stdout
        for _ in range(2)
    }
    assert len(said) == 1
