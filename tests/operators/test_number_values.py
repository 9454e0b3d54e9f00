"""The slow way beside the fast one: values of numbers by their bits, and by DuckDB's equality."""

from __future__ import annotations

from datetime import date, datetime
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.operators.number_values import NumberValues, values_of
from windrow.operators.values import KeyedValues, ValueStates
from windrow.schema import Schema

SCHEMA = Schema.of(
    ("a", "INTEGER"),
    ("b", "UTINYINT"),
    ("c", "BIGINT"),
    ("d", "BOOLEAN"),
    ("e", "TIMESTAMP"),
    ("f", "DATE"),
)
CHOICES = (
    [None, 0, 1, -1, 2**31 - 1, -(2**31)],
    [None, 0, 1, 255],
    [None, 0, -1, 2**63 - 1, -(2**63)],
    [None, False, True],
    [None, datetime(1970, 1, 1), datetime(2026, 1, 1), datetime(1969, 12, 31)],
    [None, date(1970, 1, 1), date(1, 1, 1)],
)


def table(chance: Random, count: int) -> pa.Table:
    columns = [[chance.choice(choices) for _ in range(count)] for choices in CHOICES]
    return pa.table(
        [pa.array(*each) for each in zip(columns, SCHEMA.arrow.types, strict=True)], SCHEMA.arrow
    )


def restored(values: ValueStates) -> ValueStates:
    again = type(values)(SCHEMA, 1)  # type: ignore[call-arg]
    if state := values.save():
        again.restore(state)
    return again


@settings(deadline=None, max_examples=30)
@given(st.randoms(use_true_random=False))
def test_values_are_found_again_by_their_bits(chance: Random) -> None:
    fast: ValueStates = NumberValues(SCHEMA, 1)
    slow: ValueStates = KeyedValues(SCHEMA, 1)
    for _ in range(4):
        rows = table(chance, chance.choice([0, 1, 20, 300]))
        codes, wanted = fast.of(rows), slow.of(rows)
        assert codes.tolist() == wanted.tolist()
        assert fast.rows(codes).equals(rows)
        fast.numbers[codes, 0] = slow.numbers[codes, 0] = codes + 1
        gone = np.array([code for code in np.unique(codes).tolist() if chance.random() < 0.5], np.int64)
        fast.release(gone)
        slow.release(gone)
        assert len(fast) == len(slow)
        assert fast.live().tolist() == slow.live().tolist()
        if chance.random() < 0.5:
            fast, slow = restored(fast), restored(slow)


def test_many_values_take_turns() -> None:
    values = NumberValues(Schema.of(("a", "INTEGER"), ("b", "INTEGER")), 1)
    for begin in range(0, 50_000, 10_000):
        numbers = np.arange(begin, begin + 20_000, dtype=np.int32)
        rows = pa.table({"a": numbers % 7, "b": numbers})
        codes = values.of(rows)
        assert len(np.unique(codes)) == 20_000
        assert values.rows(codes).equals(rows)
        assert values.of(rows).tolist() == codes.tolist()
        values.release(codes[:10_000])
    assert len(values) == 10_000
    assert values.capacity == 32_768


@pytest.mark.parametrize(
    ("types", "kind"),
    [
        (["INTEGER", "DATE"], NumberValues),
        (["BIGINT"] * 62, NumberValues),
        (["BIGINT"] * 63, KeyedValues),
        (["INTEGER", "VARCHAR"], KeyedValues),
        (["DOUBLE"], KeyedValues),
        ([], KeyedValues),
    ],
    ids=str,
)
def test_what_has_the_same_bits_if_it_is_equal_goes_by_them(
    types: list[str], kind: type[ValueStates]
) -> None:
    schema = Schema.of(*((f"c{place}", type_) for place, type_ in enumerate(types)))
    assert type(values_of(schema, 1)) is kind
