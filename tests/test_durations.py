"""Lengths of time, as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.durations import UNITS, DurationError, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("5 SECONDS", 5_000_000),
        ("1 second", 1_000_000),
        ("250ms", 250_000),
        ("3 µs", 3),
        ("0.5 min", 30_000_000),
        ("1 h 30 min", 5_400_000_000),
        ("2 DAYS", 172_800_000_000),
        (" 7  hrs ", 25_200_000_000),
        ("0 s", 0),
    ],
)
def test_durations(text: str, microseconds: int) -> None:
    assert parse_duration(text) == microseconds


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "'' is not a length of time", "write a number and a unit, as in 5 SECONDS"),
        ("5", "'5' is not a length of time", "write a number and a unit, as in 5 SECONDS"),
        ("seconds", "'seconds' is not a length of time", "write a number and a unit, as in 5 SECONDS"),
        ("1.2.3 s", "'1.2.3' is not a number", "write a number and a unit, as in 5 SECONDS"),
        ("5 secnds", "'secnds' is not a unit of time", "did you mean SECONDS?"),
        ("1 year", "'year' is not a unit of time", "months and years differ in length: write days"),
        (
            "1 blink",
            "'blink' is not a unit of time",
            "units are microsecond, millisecond, second, minute, hour, day",
        ),
        ("0.5 us", "'0.5 us' is not a whole number of microseconds", "write a longer time"),
        ("99999999999 days", "'99999999999 days' is longer than any clock", "write a shorter time"),
    ],
)
def test_what_is_no_duration(text: str, message: str, hint: str) -> None:
    with pytest.raises(DurationError) as caught:
        parse_duration(text)
    assert (str(caught.value), caught.value.hint) == (message, hint)


@pytest.mark.parametrize("unit", UNITS)
def test_every_unit_in_any_case(unit: str) -> None:
    assert parse_duration(f"2 {unit.upper()}") == parse_duration(f"2{unit}") == 2 * UNITS[unit]


@given(st.integers(0, 10**15))
def test_what_is_shown_can_be_read(microseconds: int) -> None:
    assert parse_duration(format_duration(microseconds)) == microseconds
