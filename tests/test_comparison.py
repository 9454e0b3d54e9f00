"""Two tables compared: which rows count as equal, and which are told to differ."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.comparison import compare, compare_in_order


def table(*rows: object) -> pa.Table:
    return pa.table({"value": list(rows)})


def marked(side: object) -> list[tuple[object, bool]]:
    values = side.rows.column("value").to_pylist()  # type: ignore[attr-defined]
    return list(zip(values, side.alone, strict=True))  # type: ignore[attr-defined]


def test_the_order_of_a_multiset_is_nothing_and_the_number_of_copies_is() -> None:
    assert compare(table(1, 2, 2), table(2, 1, 2)) is None
    difference = compare(table(1, 2, 2), table(2, 1, 1))
    assert difference
    assert marked(difference.expected) == [(1, False), (2, False), (2, True)]
    assert marked(difference.actual) == [(1, False), (2, False), (1, True)]
    assert (difference.expected.count, difference.actual.count) == (1, 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.1 + 0.2, 0.3),
        (0.0, -0.0),
        (float("nan"), float("nan")),
        (None, None),
        ([1.0, 0.1 + 0.2], [1.0, 0.3]),
        ({"x": 0.1 + 0.2}, {"x": 0.3}),
    ],
)
def test_values_that_are_equal_for_all_that_counts(one: object, other: object) -> None:
    assert compare(table(one), table(other)) is None


@pytest.mark.parametrize(("one", "other"), [(0.3, 0.30001), (None, 0), ("1", "1 "), ([1, 2], [2, 1])])
def test_values_that_are_not(one: object, other: object) -> None:
    assert compare(table(one), table(other)) is not None


def test_a_float_has_six_digits() -> None:
    narrow = pa.table({"value": pa.array([0.1234567], pa.float32())})
    near = pa.table({"value": pa.array([0.1234569], pa.float32())})
    far = pa.table({"value": pa.array([0.12346], pa.float32())})
    assert compare(narrow, near) is None
    assert compare(narrow, far) is not None


def test_one_instant_may_come_in_any_order_and_several_may_not() -> None:
    assert compare_in_order(table(1, 2, 3), table(2, 1, 3), [5, 5, 6]) is None
    assert compare_in_order(table(1, 2, 3), table(1, 3, 2), [5, 5, 6]) is not None


def test_what_is_missing_between_others_is_marked_and_they_are_not() -> None:
    difference = compare_in_order(table(1, 2, 3, 4), table(1, 3, 4, 9), [1, 2, 3, 4])
    assert difference
    assert marked(difference.expected) == [(1, False), (2, True), (3, False), (4, False)]
    assert marked(difference.actual) == [(1, False), (3, False), (4, False), (9, True)]


SMALL = st.lists(st.integers(0, 3), max_size=6)


@settings(max_examples=200, deadline=None)
@given(SMALL, SMALL)
def test_multisets_differ_as_counting_says(one: list[int], other: list[int]) -> None:
    difference = compare(table(*one), table(*other))
    lacking, surplus = Counter(one) - Counter(other), Counter(other) - Counter(one)
    if difference is None:
        assert not lacking
        assert not surplus
        return
    assert Counter(value for value, alone in marked(difference.expected) if alone) == lacking
    assert Counter(value for value, alone in marked(difference.actual) if alone) == surplus
    assert sorted(value for value, _ in marked(difference.actual)) == sorted(other)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=3), max_size=4), st.randoms(), SMALL)
def test_shuffling_within_instants_is_no_difference(groups: list, chance: object, other: list) -> None:
    came = [value for group in groups for value in group]
    instants = [place for place, group in enumerate(groups) for _ in group]
    shuffled = [value for group in groups for value in chance.sample(group, len(group))]  # type: ignore[attr-defined]
    assert compare_in_order(table(*shuffled), table(*came), instants) is None
    difference = compare_in_order(table(*other), table(*came), instants)
    equal = len(other) == len(came) and all(
        sorted(other[instants.index(place) : instants.index(place) + len(group)]) == sorted(group)
        for place, group in enumerate(groups)
    )
    assert (difference is None) == equal
    if difference is not None:
        assert difference.expected.count + difference.actual.count > 0
